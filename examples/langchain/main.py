"""LangChain's ChatOpenAI: only its base URL changes."""

import os

from langchain_openai import ChatOpenAI

base = os.environ.get("MAINSTAY_URL", "http://127.0.0.1:8484")
model = ChatOpenAI(
    model="openai/gpt-4o",
    base_url=f"{base}/v1",
    api_key=os.environ.get("MAINSTAY_KEY", "any"),
    max_retries=0,  # Mainstay retries
)

print("answer:", model.invoke("Say that all is well.").content)
print("stream:", "".join(chunk.content for chunk in model.stream("Say that all is well.")))
