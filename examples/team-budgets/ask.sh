#!/bin/sh
# Each team has its own key, its own models and its own money.
set -eu
base=${MAINSTAY_URL:-http://127.0.0.1:8484}
ask() { # team, key, model
  printf '%s asks %s: ' "$1" "$3"
  curl -sS -o /dev/null -w '%{http_code}\n' "$base/v1/chat/completions" \
    -H 'content-type: application/json' -H "authorization: Bearer $2" \
    -d "{\"model\": \"$3\", \"messages\": [{\"role\": \"user\", \"content\": \"Say that all is well.\"}]}"
}
ask research "$RESEARCH_KEY" assistant
ask support "$SUPPORT_KEY" small
ask support "$SUPPORT_KEY" assistant
ask nobody wrong-key small
curl -sS "$base/api/budgets"
echo
