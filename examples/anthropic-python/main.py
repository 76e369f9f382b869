"""Anthropic's SDK: only its base URL changes."""

import os

from anthropic import Anthropic

base = os.environ.get("MAINSTAY_URL", "http://127.0.0.1:8484")
client = Anthropic(base_url=base, api_key=os.environ.get("MAINSTAY_KEY", "any"))

answer = client.messages.create(
    model="anthropic/claude-sonnet-4-5",
    max_tokens=200,
    messages=[{"role": "user", "content": "Say that all is well."}],
)
print("answer:", "".join(block.text for block in answer.content if block.type == "text"))

with client.messages.stream(
    model="openai/gpt-4o-mini",  # another vendor: Mainstay translates
    max_tokens=200,
    messages=[{"role": "user", "content": "Say that all is well."}],
) as stream:
    print("stream:", "".join(stream.text_stream))
