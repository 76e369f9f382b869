"""One simulator and one gateway for all tests, both started as a user would start them."""

import collections
import itertools
import json
import pathlib
import re
import subprocess
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAULTS = json.loads((ROOT / "interop" / "faults.json").read_text())

# A spent quota sets a key aside and failures open a breaker: each test has providers of its own.
ROUTES = 56
CROSSINGS = 6
KEY = "sk-planted-0123456789abcdef"
PROMPT = "secret-prompt-4711"


def http(method, url, body=None):
    request = urllib.request.Request(url, method=method, data=body)
    with urllib.request.urlopen(request, timeout=120) as response:
        return response.read().decode()


def config(folder, simulator, routes=ROUTES):
    lines = [f'store: {{ url: "{folder}/data" }}']
    # Waits that a provider asks for are kept; Mainstay's own need not be as long as in service.
    lines += ["recovery: { retry: { initial-delay: 20ms } }", "providers:"]
    models = ["models:"]

    def route(name, first, other):
        for provider, dialect in ((name, first), (name + "b", other)):
            # The simulator tells Mistral's requests by the first part of the path.
            base = f"{simulator}/{dialect}" + ("/v1" if dialect == "openai" else "")
            lines.append(f'  {provider}: {{ dialect: {dialect}, base-url: "{base}", keys: ["{KEY}-{provider}"] }}')
        targets = f"targets: [{name}/first-{name}, {name}b/other-{name}]"
        models.append(f"  assistant-{name}: {{ {targets} }}")
        models.append(f"  erring-{name}: {{ {targets}, recovery: {{ mid-stream: error }} }}")

    for dialect in FAULTS:
        for n in range(routes):
            route(f"{dialect}{n}", dialect, dialect)
        for client in FAULTS:
            for n in range(CROSSINGS if client != dialect else 0):
                route(f"{client}-via-{dialect}{n}", dialect, client)
    return "\n".join(lines + models)


class Route:
    """A model of the gateway with two targets of its own, and the simulator behind them."""

    def __init__(self, stack, dialect, name):
        self.base = stack.simulator
        self.gateway = stack.gateway
        self.dialect = dialect
        self.name = name
        self.model = f"assistant-{self.name}"
        # The same targets, for tests of what is seen where nothing goes on from a break.
        self.erring = f"erring-{self.name}"

    def fault(self, name):
        """What a failure looks like at this dialect's provider."""
        fault = FAULTS[self.dialect][name]
        return json.loads(json.dumps(fault).replace("${key}", f"{KEY}-{self.name}"))

    def script(self, **targets):
        """Sets the steps of the targets `first` and `other`; forgets what was received before."""
        http("DELETE", self.base + "/_sim")
        models = {f"{name}-{self.name}": steps for name, steps in targets.items()}
        http("PUT", self.base + "/_sim/script", json.dumps({"models": models}).encode())

    def always(self, fault):
        """Both targets fail so, however often they are asked."""
        step = {"script": [fault], "then": "repeat"}
        self.script(first=step, other=step)

    def received(self):
        return json.loads(http("GET", self.base + "/_sim/log"))["requests"]

    def asked(self):
        """Which targets were asked, in order."""
        return [request["model"].removesuffix("-" + self.name) for request in self.received()]

    def wait_until_left(self):
        """The request that its client left, and by how many seconds the machine was late meanwhile."""
        deadline = time.monotonic() + 120
        late = 0
        while True:
            began = time.monotonic()
            left = [request for request in self.received() if request["client_left"]]
            http("GET", self.gateway + "/health/live")
            late = max(late, time.monotonic() - began)
            if left:
                return left[0], late
            assert time.monotonic() < deadline, "the provider went on working"
            time.sleep(0.02)


class Stack:
    def __init__(self, folder, config=config):
        self.folder = folder
        self.processes = []
        self.numbers = collections.defaultdict(itertools.count)
        self.simulator = self.start("simulate")
        (folder / "mainstay.yaml").write_text(config(folder, self.simulator))
        self.gateway = self.start("serve", "--config", str(folder / "mainstay.yaml"))

    def start(self, command, *arguments):
        """The URL that it says it listens at, on a port of its own choice."""
        log = self.folder / f"{command}.log"
        with log.open("w") as out:
            process = subprocess.Popen(
                [str(ROOT / "mainstay"), command, *arguments, "--port", "0"],
                cwd=self.folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
            )
        self.processes.append(process)
        deadline = time.monotonic() + 300
        while not (said := re.search(r"ready on (\S+:\d+)\s", log.read_text())):
            if process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"{command} did not start:\n{log.read_text()[-4000:]}")
            time.sleep(0.05)
        return said[1]

    def route(self, dialect):
        return Route(self, dialect, f"{dialect}{next(self.numbers[dialect])}")

    def crossing(self, client, dialect):
        """A route whose first target speaks another dialect than its client, and the other the client's."""
        pair = f"{client}-via-{dialect}"
        return Route(self, dialect, f"{pair}{next(self.numbers[pair])}")

    def output(self):
        """All that the gateway has written."""
        return (self.folder / "serve.log").read_text()

    def close(self):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(timeout=300)
