"""A provider that takes uploads of any size and says what came: what the SDKs send besides model calls."""

import hashlib
import http.server
import json
import re
import threading

KEYS = {name: f"sk-planted-{name}-0123456789abcdef" for name in ("openai", "anthropic", "mistral", "gemini")}


class Provider(http.server.ThreadingHTTPServer):
    """Keeps (method, path, digest of the uploaded part, headers) of every request."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


def uploaded(body, content_type):
    """The bytes of the file in a multipart body, or the body itself."""
    boundary = re.search(r'boundary="?([^";]+)', content_type or "")
    if not boundary:
        return body
    for part in body.split(b"--" + boundary.group(1).encode())[1:-1]:
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content[:-2]
    raise AssertionError("no file in the multipart body")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("content-length", 0)))

    def do_POST(self):
        body = self.body()
        content = uploaded(body, self.headers.get("content-type"))
        path = self.path.split("?")[0]
        self.server.asked.append((self.command, path, hashlib.sha256(content).hexdigest(), dict(self.headers.items())))
        headers = {}
        if self.headers.get("x-goog-upload-command") == "start":
            headers["x-goog-upload-url"] = f"{self.server.url}/gemini/upload/v1beta/files?upload_id=7"
        elif "finalize" in self.headers.get("x-goog-upload-command", ""):
            headers["x-goog-upload-status"] = "final"
        elif "x-goog-upload-command" in self.headers:
            headers["x-goog-upload-status"] = "active"
        self.reply(answer(self.command, path, len(content)), headers)

    do_GET = do_POST

    def reply(self, value, headers):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/octet-stream" if isinstance(value, bytes) else "application/json")
        self.send_header("content-length", str(len(data)))
        for name, each in headers.items():
            self.send_header(name, each)
        self.end_headers()
        self.wfile.write(data)


FILE = {"id": "file_1", "object": "file", "bytes": 0, "created_at": 1, "filename": "a", "purpose": "batch",
        "status": "processed", "sample_type": "batch_request", "source": "upload", "size_bytes": 0,
        "type": "file", "mime_type": "text/plain", "downloadable": True}
ANSWERS = {
    "/openai/v1/audio/transcriptions": {"text": "It was said."},
    "/openai/v1/images/edits": {"created": 1, "data": [{"b64_json": "AAAA"}]},
    "/openai/v1/batches": {"id": "batch_1", "object": "batch", "endpoint": "/v1/chat/completions", "input_file_id": "file_1",
                           "completion_window": "24h", "status": "validating", "created_at": 1},
    "/openai/v1/vector_stores/vs_1/files": {"id": "file_1", "object": "vector_store.file", "vector_store_id": "vs_1",
                                            "status": "completed", "created_at": 1, "usage_bytes": 1},
    "/anthropic/v1/messages/batches": {"id": "msgbatch_1", "type": "message_batch", "processing_status": "in_progress",
                                       "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-02T00:00:00Z",
                                       "request_counts": {"processing": 1, "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}},
    "/mistral/v1/ocr": {"model": "mistral-ocr-latest", "usage_info": {"pages_processed": 1},
                        "pages": [{"index": 0, "markdown": "# Read", "images": [], "dimensions": None}]},
    "/mistral/v1/files": dict(FILE, purpose="ocr"),
}


def answer(method, path, size):
    if path.endswith("/content"):
        return b"content " * 100_000
    if path.startswith("/gemini/upload"):
        return {"file": {"name": "files/1", "uri": "https://files.example/1", "sizeBytes": str(size), "state": "ACTIVE"}}
    return dict(ANSWERS.get(path, FILE), **({"bytes": size} if path.endswith("/files") else {}))


def config(provider):
    """A configuration of the gateway whose providers are all this one."""

    def lines(folder, _simulator):
        yield f'store: {{ url: "{folder}/data" }}'
        yield "providers:"
        for name, key in KEYS.items():
            base = f"{provider.url}/{name}" + ("/v1" if name == "openai" else "")
            yield f'  {name}: {{ dialect: {name}, base-url: "{base}", keys: ["{key}"] }}'

    return lambda *arguments: "\n".join(lines(*arguments))
