"""Every way and every place in which a recorded stream can break, and what comes of it at the SDKs."""

import collections
import concurrent.futures
import functools
import itertools
import json
import re
import time
import urllib.request
from dataclasses import dataclass, field

import listeners
from stack import http

TEXT = "The naïve café in Kraków serves 12 crêpes for 30 € 🙂."
JSON = '{"harbour": "Kraków", "boats": [12, {"name": "Zoë 🙂"}], "open": true}'
CALLS = [("look", {"at": "the harbour"}), ("send", {"to": "Zoë", "times": 2})]
ANSWERS = {
    "text": {"text": TEXT},
    "reasoning": {"text": TEXT, "reasoning": "They ask, so I say."},
    "json": {"text": JSON},
    "calls": {
        "text": "I look and send.",
        "tool-calls": [{"name": n, "arguments": json.dumps(a, ensure_ascii=False)} for n, a in CALLS],
    },
}

ERRORS = {
    "openai": {"error": {"message": "The server had an error", "type": "server_error", "code": None, "param": None}},
    "mistral": {"object": "error", "message": "Service unavailable", "type": "internal_server_error", "code": "3000"},
    "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
    "gemini": {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}},
}
BETWEEN_EVENTS = ["error-event", "malformed"]
ANYWHERE = ["cut", "reset", "ends", "silence"]
HABITS = ["exactly", "repeating", "starting-over", "refusing-prefills"]

# A stream is silent for good; this is how long the gateway waits for it.
PATIENCE = "1500ms"
# Threads that mostly wait cost nothing; more that work would only be in each other's way.
AT_ONCE = {True: 40, False: 4}
# What a gateway says that is behind, as a cold one on a busy machine is, before it has asked anybody.
BUSY = "more requests than it can answer"


@dataclass
class Case:
    """One stream that breaks."""

    sdk: listeners.Listener
    kind: str
    model: str
    way: str
    at: int
    habit: str
    # How often it breaks there: once, or at every attempt.
    always: bool = False
    heard: listeners.Heard = field(default_factory=listeners.Heard)

    def __str__(self):
        again = "at every attempt" if self.always else f"then {self.habit}"
        return f"{self.sdk.name}, {self.kind}: {self.way} after byte {self.at}, {again} ({self.model}): {self.heard}"

    def script(self):
        step = {"answer": ANSWERS[self.kind]}
        if self.way == "error-event":
            step |= {"error-event": ERRORS[self.sdk.provider], "at": {"byte": self.at}}
        else:
            step |= {self.way: {"byte": self.at}}
        good = {"answer": ANSWERS[self.kind], "times": 1000}
        return {"script": [step] if self.always else [step, good], "then": "repeat", "continues": self.habit}


def config(folder, simulator):
    lines = [f'store: {{ url: "{folder}/data" }}', "recording: { bodies: false }"]
    lines += ["recovery:", "  retry: { initial-delay: 0ms }", "  retry-budget: 100"]
    # What must come of a break is the subject, not what is done about a provider that breaks always.
    lines += ["  breaker: { consecutive-failures: 1000000, of-at-least: 1000000 }"]
    lines += [f"  timeouts: {{ idle: {PATIENCE}, first-token: {PATIENCE} }}", "providers:"]
    for name in ("openai", "mistral", "anthropic", "gemini"):
        base = f"{simulator}/{name}" + ("/v1" if name == "openai" else "")
        lines.append(f'  {name}: {{ dialect: {name}, base-url: "{base}", keys: ["k"] }}')
    return "\n".join(lines)


class Matrix:
    """The gateway before the simulator, and the clients. Counts what came of all streams."""

    def __init__(self, stack):
        self.simulator = stack.simulator
        self.sdks = {sdk.name: sdk(stack.gateway) for sdk in listeners.ALL}
        self.numbers = itertools.count(1)
        self.counts = {name: collections.Counter() for name in self.sdks}

    def recorded(self, sdk, kind):
        """What the provider sends when nothing goes wrong, byte for byte, and what the SDK makes of it."""
        model = sdk.model(next(self.numbers))
        self.script({model: {"script": [{"answer": ANSWERS[kind], "times": 9}]}})
        heard = sdk.listen(model, kind)
        asked = json.loads(http("GET", f"{self.simulator}/_sim/log?bodies=true&model={model}"))["requests"][-1]
        request = urllib.request.Request(self.simulator + asked["path"], asked["body"].encode(), method="POST")
        request.add_header("content-type", "application/json")
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.read(), heard

    def script(self, models):
        http("DELETE", self.simulator + "/_sim")
        http("PUT", self.simulator + "/_sim/script", json.dumps({"models": models}).encode())

    def cases(self, sdk, kind, habits=HABITS, ways=(*ANYWHERE, *BETWEEN_EVENTS), always=False):
        recorded, _ = self.recorded(sdk, kind)
        points = [0, *boundaries(recorded)]
        cases = []

        def case(way, at, habit):
            cases.append(Case(sdk, kind, sdk.model(next(self.numbers)), way, at, habit, always))

        # The last point is the one behind the ending, where nothing can be missing any more.
        for start, end in itertools.zip_longest(points, points[1:]):
            for habit, way in itertools.product(habits, ways):
                case(way, start, habit)
                # What the client has is the same anywhere inside the event, and so is what follows.
                if end and way in ANYWHERE and habit == habits[0] and not always:
                    case(way, (start + end) // 2, habit)
        return cases

    def run(self, cases, **asked):
        """Asks for all of them, and gives them back as they ended."""
        self.script({case.model: case.script() for case in cases})
        pools = {silent: concurrent.futures.ThreadPoolExecutor(at_once) for silent, at_once in AT_ONCE.items()}
        futures = {}
        for case in cases:
            listen = functools.partial(listened, case, **asked)
            futures[pools[case.way == "silence"].submit(listen)] = case
        for future in concurrent.futures.as_completed(futures, timeout=1200):
            case = futures[future]
            case.heard = future.result()
            count = self.counts[case.sdk.name]
            count["streams"] += 1
            count["whole" if case.heard.error is None else "typed"] += 1
        for pool in pools.values():
            pool.shutdown()
        return cases

    def summary(self):
        total = sum(self.counts.values(), collections.Counter())
        said = [f"{name} {c['streams']} = {c['whole']} + {c['typed']}" for name, c in self.counts.items()]
        whole = f"{total['streams']} broken streams = {total['whole']} whole answers + {total['typed']} typed errors"
        return f"{whole} ({', '.join(said)})"


def listened(case, **asked):
    """What came of it, asked again where the gateway said to ask again shortly."""
    deadline = time.monotonic() + 120
    while True:
        heard = case.sdk.listen(case.model, case.kind, **asked)
        if BUSY not in str(heard.error) or time.monotonic() > deadline:
            return heard
        time.sleep(0.2)


def boundaries(body):
    """The places right after each event."""
    return [end.end() for end in re.finditer(rb"\r?\n\r?\n", body)]
