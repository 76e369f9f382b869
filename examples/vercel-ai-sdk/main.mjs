// The Vercel AI SDK: a provider with another base URL.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, streamText } from 'ai';

const base = process.env.MAINSTAY_URL ?? 'http://127.0.0.1:8484';
const mainstay = createOpenAI({ baseURL: `${base}/v1`, apiKey: process.env.MAINSTAY_KEY ?? 'any' });

// maxRetries: 0, since Mainstay retries.
const { text } = await generateText({
  model: mainstay.chat('openai/gpt-4o'),
  prompt: 'Say that all is well.',
  maxRetries: 0,
});
console.log('answer:', text);

const stream = streamText({
  model: mainstay.responses('openai/gpt-4o-mini'),
  prompt: 'Say that all is well.',
  maxRetries: 0,
});
let all = '';
for await (const part of stream.textStream) {
  all += part;
}
console.log('stream:', all);
