"""Reloads a gateway every 100 ms while streams run through it.

    reload_under_load.py [--seconds 60] [--streams 16]

Ends with exit code 0 only if every answer was whole and no file descriptor was left behind.
"""

import argparse
import functools
import http.client
import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

from stack import Stack, config

WORDS = "word " * 40
# A stream has a connection on each side; the JVM opens a few descriptors of its own.
SLACK = 40


def stream(port, model):
    """The text of a streamed answer, or what went wrong."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    body = json.dumps({"model": model, "stream": True, "messages": [{"role": "user", "content": "Go."}]})
    connection.request("POST", "/v1/chat/completions", body, {"content-type": "application/json"})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    if response.status != 200 or not text.endswith("data: [DONE]\n\n"):
        return f"{response.status}: {text[-300:]}"
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
    said = "".join(e["choices"][0]["delta"].get("content") or "" for e in events if e["choices"])
    return None if said.strip() == WORDS.strip() else f"not whole: {said[-100:]}"


def descriptors(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--streams", type=int, default=16)
    options = options.parse_args()
    stack = Stack(pathlib.Path(tempfile.mkdtemp(prefix="mainstay-")), functools.partial(config, routes=1))
    gateway = stack.processes[1]
    port = int(stack.gateway.rsplit(":", 1)[1])
    route = stack.route("openai")
    route.script(first={"script": [{"answer": WORDS, "drip": "10ms"}], "then": "repeat"})
    file = stack.folder / "mainstay.yaml"
    text = file.read_text()
    lock, failures, done, over = threading.Lock(), [], [0], threading.Event()

    def client():
        while not over.is_set():
            try:
                failure = stream(port, route.model)
            except Exception as e:
                failure = repr(e)
            with lock:
                done[0] += 1
                if failure:
                    failures.append(failure)

    threads = [threading.Thread(target=client) for _ in range(options.streams)]
    for thread in threads:
        thread.start()
    time.sleep(2)
    before = most = descriptors(gateway)
    started = time.monotonic()
    reloads = 0
    while time.monotonic() - started < options.seconds:
        reloads += 1
        # Every other version has a new client for each provider.
        changed = text + f"\n# {reloads}\n"
        if reloads % 2:
            changed = changed.replace("recovery: {", "recovery: { timeouts: { connect: 4s },")
        replacement = file.with_suffix(".new")
        replacement.write_text(changed)
        replacement.rename(file)
        gateway.send_signal(signal.SIGHUP)
        most = max(most, descriptors(gateway))
        time.sleep(max(0, started + reloads * 0.1 - time.monotonic()))
    after = descriptors(gateway)
    over.set()
    for thread in threads:
        thread.join()
    said = stack.output().count("Mainstay reloaded the configuration")
    fell_back = set(route.asked()) - {"first"}
    stack.close()
    print(f"{done[0]} streams, {len(failures)} failed; {reloads} reloads asked for, {said} done")
    print(f"file descriptors: {before} before, {after} after, {most} at most")
    for failure in failures[:5]:
        print("  " + failure)
    ok = not failures and not fell_back and said > reloads // 2 and after < before + SLACK
    print("ok" if ok else "not ok")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
