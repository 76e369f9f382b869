"""Every command of the README and of docs/ runs, in the order of its page, in a folder that looks like a checkout."""

import json
import os
import random
import socket
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from pages import Page
from stack import ROOT, Stack, http

DOCS = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/README.md")])
DOCS = [path for path in DOCS if "node_modules" not in path.parts]
PAGES = {str(path.relative_to(ROOT)): Page(path) for path in DOCS}
# examples/run runs what these folders hold, with the faults that each is about.
EXAMPLES = {name for name in PAGES if name.count("/") == 2}
# More than this says that blocks are marked for convenience.
MOST_NOT_RUN = 18

# For pages that take a configuration for granted.
CONFIG = """
providers:
  openai: { dialect: openai, base-url: "https://api.openai.com/v1", keys: ["${OPENAI_API_KEY}"] }
models:
  assistant: { targets: [openai/gpt-4o] }
"""
LITELLM = """
model_list:
  - model_name: assistant
    litellm_params: { model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY, rpm: 600 }
router_settings: { num_retries: 2 }
"""
# Stands in for the launcher: the same program, on ports that are free.
LAUNCHER = """#!/bin/sh
case $1 in
serve) set -- "$@" --port "$GATEWAY_PORT" ;;
calls | runs | run | dead-letters | breakers | export) set -- "$@" --url "http://127.0.0.1:$GATEWAY_PORT" ;;
esac
exec "$ROOT/mainstay" "$@"
"""


def free_port():
    """One below those that systems give to connections and to servers that take any: nothing else comes by it."""
    while True:
        port = random.randrange(10_000, 32_000)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def ask(gateway, headers=None):
    body = {"model": "openai/gpt-4o", "messages": [{"role": "user", "content": "Say that all is well."}]}
    return urllib.request.Request(
        gateway + "/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json", **headers}
    )


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """The gateway and simulator of pages that start none, with a call and two dead letters on record."""

    def config(folder, simulator):
        return (
            f"store: {{ url: {folder}/data }}\n"
            + CONFIG.replace("https://api.openai.com", simulator).replace("${OPENAI_API_KEY}", "any")
        )

    stack = Stack(tmp_path_factory.mktemp("pages"), config)
    http("PUT", stack.simulator + "/_sim/script", b'{"models": {"gpt-4o": ["openai-context-length", "openai-context-length"]}}')
    for wanted in (400, 400, 200):
        request = ask(stack.gateway, {"x-mainstay-keep": "on"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status == wanted
        except urllib.error.HTTPError as error:
            assert error.code == wanted
    yield stack
    stack.close()


def checkout(folder):
    """What a reader has: the launcher, and the folders that commands read or write."""
    for name in ("examples", "packaging"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("docs", "config/src/main/resources/dev/mainstay/config"):
        (folder / name).mkdir(parents=True)
    launcher = folder / "mainstay"
    launcher.write_text(LAUNCHER)
    launcher.chmod(0o755)


@pytest.mark.parametrize("name", [name for name in PAGES if name not in EXAMPLES and PAGES[name].runs()])
def test_every_command_of_the_page_runs(name, shared, tmp_path):
    page = PAGES[name]
    checkout(tmp_path)
    script = page.script()
    gateway = f"http://127.0.0.1:{free_port()}" if "mainstay serve" in script else shared.gateway
    simulator = f"http://127.0.0.1:{free_port()}" if "mainstay simulate" in script else shared.simulator
    tool = f"127.0.0.1:{free_port()}"

    def here(text):
        for there, local in {
            "http://127.0.0.1:8484": gateway,
            "http://127.0.0.1:9000": simulator,
            "--port 9000": "--port " + simulator.rpartition(":")[2],
            "127.0.0.1:9100": tool,
            '"127.0.0.1", 9100': '"127.0.0.1", ' + tool.rpartition(":")[2],
            "https://api.openai.com": simulator,
            "https://api.anthropic.com": simulator,
        }.items():
            text = text.replace(there, local)
        return text

    for file, text in {"mainstay.yaml": CONFIG, "litellm.yaml": LITELLM, **page.saved}.items():
        (tmp_path / file).write_text(here(text))
    variables = {
        "ROOT": ROOT, "PYTHON": sys.executable, "GATEWAY": gateway, "GATEWAY_PORT": gateway.rpartition(":")[2],
        "SERVE_URL": gateway + "/health/ready", "SIMULATE_URL": simulator + "/_sim", "OPENAI_API_KEY": "any",
        "ANTHROPIC_API_KEY": "any", "OPENAI_BASE_URL": simulator + "/v1", "ANTHROPIC_BASE_URL": simulator,
        "TEAM_A_KEY": "team-a-secret",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-c", here(script)], cwd=tmp_path, env={**os.environ, **{k: str(v) for k, v in variables.items()}},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
    )  # fmt: skip
    log = tmp_path / "log"
    assert done.returncode == 0, done.stdout + "\nservers:\n" + (log.read_text() if log.exists() else "")


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_examples_run_what_their_pages_show(name):
    """examples/run runs these, with the faults that each is about."""
    run = (ROOT / "examples/run").read_text().replace('"$python"', "python").replace("$JAVA_HOME/bin/java", "java")
    run = run.replace('"java"', "java").replace('"${MAINSTAY_LIB:-app/target/lib/*}"', "'app/target/lib/*'")
    for block in PAGES[name].commands():
        for line in block.script().splitlines():
            if line.startswith(("python", "node", "java", "sh ")):
                assert line in run


def test_only_what_cannot_run_is_left_out():
    left_out = [(name, block.line, block.reason) for name, page in PAGES.items() for block in page.commands() if block.reason]
    assert len(left_out) <= MOST_NOT_RUN, left_out
    assert not [(name, page.unlabelled()) for name, page in PAGES.items() if page.unlabelled()]
