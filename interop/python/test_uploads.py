"""What the official SDKs upload and download besides model calls, through the gateway, byte for byte."""

import hashlib
import io
import os

import anthropic
import mistralai.client
import openai
import pytest
import uploads
from google import genai
from stack import Stack

# Past every buffer on the way: a network chunk, the gateway's own bounds, Gemini's 8 MiB pieces.
CONTENT = os.urandom(9 * 1024 * 1024)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def provider():
    provider = uploads.Provider()
    yield provider
    provider.shutdown()


@pytest.fixture(scope="module")
def stack(provider, tmp_path_factory):
    stack = Stack(tmp_path_factory.mktemp("uploads"), uploads.config(provider))
    yield stack
    stack.close()


@pytest.fixture
def came(provider):
    """What reached the provider in this test: path, and whether the content is what was sent."""
    begin = len(provider.asked)

    def came():
        return [(path.partition("/")[2].partition("/")[2], digest == SHA256) for _, path, digest, _ in provider.asked[begin:]]

    yield came
    for _, path, _, headers in provider.asked[begin:]:
        name = path.split("/")[1]
        sent = " ".join(headers.values())
        assert uploads.KEYS[name] in sent, "the provider's own key goes with every request"
        assert "clients-own-key" not in sent, "the client's key stays here"


@pytest.fixture
def openai_client(stack):
    return openai.OpenAI(base_url=stack.gateway + "/v1", api_key="clients-own-key", timeout=60, max_retries=0)


@pytest.fixture
def anthropic_client(stack):
    return anthropic.Anthropic(base_url=stack.gateway, api_key="clients-own-key", timeout=60, max_retries=0)


@pytest.fixture
def mistral_client(stack):
    return mistralai.client.Mistral(server_url=stack.gateway, api_key="clients-own-key", timeout_ms=60_000)


def test_openai_files_and_batches(openai_client, came):
    file = openai_client.files.create(file=("in.jsonl", CONTENT), purpose="batch")
    batch = openai_client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
    assert (file.bytes, batch.id) == (len(CONTENT), "batch_1")
    assert came() == [("v1/files", True), ("v1/batches", False)]


def test_openai_downloads_a_files_content(openai_client, came):
    assert openai_client.files.content("file_1").read() == b"content " * 100_000
    assert came() == [("v1/files/file_1/content", False)]


def test_openai_transcription(openai_client, came):
    said = openai_client.audio.transcriptions.create(model="whisper-1", file=("talk.wav", CONTENT))
    assert said.text == "It was said."
    assert came() == [("v1/audio/transcriptions", True)]


def test_openai_image_edit(openai_client, came):
    edited = openai_client.images.edit(model="gpt-image-1", image=("in.png", CONTENT, "image/png"), prompt="Brighter")
    assert edited.data[0].b64_json == "AAAA"
    assert came() == [("v1/images/edits", True)]


def test_openai_vector_store_file(openai_client, came):
    stored = openai_client.vector_stores.files.upload(vector_store_id="vs_1", file=("a.txt", CONTENT))
    assert stored.status == "completed"
    assert came() == [("v1/files", True), ("v1/vector_stores/vs_1/files", False)]


def test_anthropic_files_and_batches(anthropic_client, came):
    file = anthropic_client.beta.files.upload(file=("a.txt", CONTENT, "text/plain"))
    request = {"custom_id": "a", "params": {"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "Hi"}]}}
    batch = anthropic_client.messages.batches.create(requests=[request])
    assert (file.id, batch.id) == ("file_1", "msgbatch_1")
    assert came() == [("v1/files", True), ("v1/messages/batches", False)]


def test_mistral_files_and_ocr(mistral_client, came):
    file = mistral_client.files.upload(file={"file_name": "a.pdf", "content": CONTENT}, purpose="ocr")
    read = mistral_client.ocr.process(model="mistral-ocr-latest", document={"type": "file", "file_id": file.id})
    assert read.pages[0].markdown == "# Read"
    assert came() == [("v1/files", True), ("v1/ocr", False)]


def test_gemini_resumable_upload(stack, provider, came):
    client = genai.Client(api_key="clients-own-key", http_options={"base_url": stack.gateway, "timeout": 60_000})
    begin = len(provider.asked)
    file = client.files.upload(file=io.BytesIO(CONTENT), config={"mime_type": "text/plain"})
    assert file.name == "files/1"
    start, *pieces = provider.asked[begin:]
    assert start[1].endswith("/files") and start[3]["x-goog-upload-command"] == "start"
    assert all(piece[1] == "/gemini/upload/v1beta/files" for piece in pieces), "the upload's address is the gateway's"
    assert [piece[3]["x-goog-upload-command"] for piece in pieces] == ["upload", "upload, finalize"]
    assert [int(piece[3]["content-length"]) for piece in pieces] == [8 * 1024 * 1024, 1024 * 1024]
