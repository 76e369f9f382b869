#!/bin/sh
# What a command-line agent asks: a streamed response, and its run in a header.
set -eu
base=${MAINSTAY_URL:-http://127.0.0.1:8484}
curl -sS --fail-with-body -N "$base/v1/responses" \
  -H 'content-type: application/json' \
  -H "authorization: Bearer ${MAINSTAY_KEY:-any}" \
  -H 'x-mainstay-run: fix-the-build' \
  -d '{"model": "openai/gpt-4o", "stream": true, "input": "Say that all is well."}' |
  sed -n -e '/^{/p' -e 's/^data: .*"type":"response.output_text.done".*"text":"\([^"]*\)".*/answer: \1/p'
