"""The commands of the README and of the pages under docs/, as a bash script a page."""

import dataclasses
import re

FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.M | re.S)
MARK = re.compile(r"<!-- (not run in CI: \S.*|exit (\d+)) -->\s*\Z")
SAVED = re.compile(r"[Ss]ave (?:it|this) as `([\w.-]+)`")
COMMAND = re.compile(r"^(\$ )?(\./|curl |python3? |sh |npm |pip |java |docker |bench/|export |packaging/|duckdb )", re.M)

# Bash that every page begins with. `newest LIST` is the id of its latest entry that nobody has settled.
PRELUDE = """
set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || :; wait' EXIT
curl() { command curl -fsS "$@"; }
up() {
  for _ in $(seq 600); do
    if command curl -fs -o /dev/null "$1"; then return; fi
    kill -0 $! || return
    sleep 0.1
  done
}
end() { if [ -n "${served-}" ]; then kill "$served"; wait "$served" || :; fi; }
call() { # what a page takes for granted that looks at calls
  curl -o /dev/null "$GATEWAY/v1/chat/completions" -H 'content-type: application/json' \\
    -d '{"model": "openai/gpt-4o", "messages": [{"role": "user", "content": "Say that all is well."}]}'
}
newest() {
  curl "$GATEWAY/api/$1" | "$PYTHON" -c '
import json, sys
(rows,) = (value for value in json.load(sys.stdin).values() if isinstance(value, list))
print(next(row.get("id") or row.get("call") or row.get("run") for row in rows if row.get("state", "dead") == "dead"))'
}
"""
# A page's gateways take turns at one port.
START = {
    "serve": 'end\n{} >>log 2>&1 &\nserved=$!\nup "$SERVE_URL"',
    "simulate": '{} >>log 2>&1 &\nup "$SIMULATE_URL"',
    "python3": "{} >>log 2>&1 &",
}


@dataclasses.dataclass
class Block:
    line: int
    language: str
    text: str
    reason: str | None  # why it is not run
    exit: int

    def script(self):
        """What a reader types: all of a sh block, the lines after `$ ` of a console block."""
        text = self.text
        if self.language == "console":
            lines = iter(text.splitlines())
            text = ""
            for line in lines:
                if line.startswith("$ "):
                    text += line[2:] + "\n"
                    while line.endswith("\\"):
                        line = next(lines)
                        text += line + "\n"
        text = re.sub(r"\b(calls|runs|dead-letters)( \w+ |/)(ID|call_\w{26})\b", r"\1\2$(newest \1)", text)
        # A server goes to the background, and the next command waits until it answers.
        return re.sub(
            r"^((?:\./mainstay (serve|simulate)|(python3) tool\.py)\b[^#&\n]*).*$",
            lambda found: START[found[2] or found[3]].format(found[1]),
            text,
            flags=re.M,
        )


class Page:
    def __init__(self, path):
        self.source = path.read_text()
        self.blocks, self.saved = [], {}
        for found in FENCE.finditer(self.source):
            before = self.source[: found.start()]
            mark = MARK.search(before)
            indent, language, text = found.groups()
            text = re.sub(f"^{indent}", "", text, flags=re.M)
            reason = mark and mark[1].removeprefix("not run in CI: ") if mark and not mark[2] else None
            self.blocks.append(
                Block(before.count("\n") + 1, language, text, reason, int(mark[2]) if mark and mark[2] else 0)
            )
            name = SAVED.search(before.rstrip().rpartition("\n\n")[2])
            if name:
                self.saved[name[1]] = text

    def commands(self):
        return [block for block in self.blocks if block.language in ("sh", "console")]

    def runs(self):
        return any(not block.reason for block in self.commands())

    def unlabelled(self):
        """Lines of blocks that hold commands and are not labelled so."""
        return [block.line for block in self.blocks if not block.language and COMMAND.search(block.text)]

    def script(self):
        parts = [PRELUDE]
        for block in self.commands():
            if not block.reason:
                parts.append(f"echo '>>> line {block.line}'")
                script = block.script()
                parts.append(f"({script}) && exit 1 || [ $? = {block.exit} ]" if block.exit else script)
        script = "\n".join(parts)
        looked_at = re.search(r"\$\(newest calls\)|/api/breakers", script)
        return script.replace('up "$SERVE_URL"', 'up "$SERVE_URL"\ncall') if looked_at else script
