"""One simulator and one gateway for all tests, both started as a user would start them."""

import itertools
import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pytest

# A spent quota sets a key aside and failures open a breaker: each test has providers of its own.
ROUTES = 40
KEY = "sk-planted-0123456789"
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


class Route:
    """A model of the gateway with two targets of its own, and the simulator behind them."""

    def __init__(self, simulator, number):
        self.base = simulator
        self.number = number
        self.model = f"assistant{number}"

    def script(self, **targets):
        """Sets the steps of the targets `first` and `other`; forgets what was received before."""
        http("DELETE", self.base + "/_sim")
        models = {f"{name}{self.number}": steps for name, steps in targets.items()}
        http("PUT", self.base + "/_sim/script", json.dumps({"models": models}).encode())

    def received(self):
        return json.loads(http("GET", self.base + "/_sim/log"))["requests"]

    def asked(self):
        """Which targets were asked, in order, without the number of the route."""
        return [request["model"].removesuffix(str(self.number)) for request in self.received()]


@pytest.fixture(scope="session")
def stack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stack")
    simulator_port, gateway_port = free_port(), free_port()
    base = f"http://127.0.0.1:{simulator_port}/v1"
    lines = [f"server: {{ port: {gateway_port} }}", f'store: {{ url: "{folder}/data" }}', "providers:"]
    for n in range(ROUTES):
        for name in ("main", "second"):
            lines.append(f'  {name}{n}: {{ dialect: openai, base-url: "{base}", keys: ["{KEY}-{name}{n}"] }}')
    lines.append("models:")
    lines += [f"  assistant{n}: {{ targets: [main{n}/first{n}, second{n}/other{n}] }}" for n in range(ROUTES)]
    (folder / "mainstay.yaml").write_text("\n".join(lines))
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
        yield f"http://127.0.0.1:{simulator_port}", f"http://127.0.0.1:{gateway_port}", folder
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(timeout=60)


numbers = itertools.count()


@pytest.fixture
def route(stack):
    return Route(stack[0], next(numbers))


@pytest.fixture
def gateway(stack):
    return stack[1]
