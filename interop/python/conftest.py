"""One simulator and one gateway for all tests, both started as a user would start them."""

import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def http(method, url, body=None):
    request = urllib.request.Request(url, method=method, data=body)
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.read().decode()


def wait_until_up(process, url, log):
    deadline = time.monotonic() + 120
    while True:
        try:
            return http("GET", url)
        except (urllib.error.URLError, ConnectionError):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{url} did not come up:\n{log.read_text()[-4000:]}")
            time.sleep(0.05)


class Simulator:
    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"

    def script(self, **models):
        """Sets the steps of each model and forgets what was received before."""
        http("DELETE", self.base + "/_sim")
        http("PUT", self.base + "/_sim/script", json.dumps({"models": models}).encode())

    def received(self, model=None):
        query = f"?model={model}" if model else ""
        return json.loads(http("GET", self.base + "/_sim/log" + query))["requests"]


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stack")
    simulator_port, gateway_port = free_port(), free_port()
    (folder / "mainstay.yaml").write_text(
        f"""
server: {{ port: {gateway_port} }}
store: {{ url: "{folder}/data" }}
providers:
  main:   {{ dialect: openai, base-url: "http://127.0.0.1:{simulator_port}/v1", keys: ["sk-main-0123456789"] }}
  second: {{ dialect: openai, base-url: "http://127.0.0.1:{simulator_port}/v1", keys: ["sk-second-0123456789"] }}
models:
  assistant: {{ targets: [main/first, second/other] }}
"""
    )
    processes = []

    def start(name, *arguments):
        log = folder / f"{name}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [str(ROOT / "mainstay"), *arguments], cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )
        processes.append(process)
        return process, log

    process, log = start("simulate", "simulate", "--port", str(simulator_port))
    wait_until_up(process, f"http://127.0.0.1:{simulator_port}/_sim", log)
    process, log = start("serve", "serve", "--config", str(folder / "mainstay.yaml"))
    wait_until_up(process, f"http://127.0.0.1:{gateway_port}/health/ready", log)
    try:
        yield Simulator(simulator_port), f"http://127.0.0.1:{gateway_port}", folder
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


@pytest.fixture
def simulator(stack):
    stack[0].script()
    return stack[0]


@pytest.fixture
def gateway(stack):
    return stack[1]
