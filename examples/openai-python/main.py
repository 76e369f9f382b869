"""OpenAI's SDK: only its base URL changes."""

import os

from openai import OpenAI

base = os.environ.get("MAINSTAY_URL", "http://127.0.0.1:8484")
client = OpenAI(base_url=f"{base}/v1", api_key=os.environ.get("MAINSTAY_KEY", "any"))

answer = client.chat.completions.create(
    model="openai/gpt-4o",
    messages=[{"role": "user", "content": "Say that all is well."}],
)
print("answer:", answer.choices[0].message.content)

stream = client.chat.completions.create(
    model="openai/gpt-4o",
    messages=[{"role": "user", "content": "Say that all is well."}],
    stream=True,
)
print("stream: ", end="")
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
print()
