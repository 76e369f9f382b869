#!/bin/sh
# One name; Mainstay finds the vendor that answers, and says which.
set -eu
base=${MAINSTAY_URL:-http://127.0.0.1:8484}
curl -sS --fail-with-body -i "$base/v1/chat/completions" \
  -H 'content-type: application/json' \
  -d '{"model": "assistant", "messages": [{"role": "user", "content": "Say that all is well."}]}' |
  grep -i -e '^x-mainstay-target' -e '^x-mainstay-recovery' -e '"content"' -e '"error"'
