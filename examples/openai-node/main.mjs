// OpenAI's SDK: only its base URL changes.
import OpenAI from 'openai';

const base = process.env.MAINSTAY_URL ?? 'http://127.0.0.1:8484';
const client = new OpenAI({ baseURL: `${base}/v1`, apiKey: process.env.MAINSTAY_KEY ?? 'any' });
const messages = [{ role: 'user', content: 'Say that all is well.' }];

const answer = await client.chat.completions.create({ model: 'openai/gpt-4o', messages });
console.log('answer:', answer.choices[0].message.content);

const stream = await client.chat.completions.create({ model: 'openai/gpt-4o', messages, stream: true });
let text = '';
for await (const chunk of stream) {
  text += chunk.choices[0]?.delta?.content ?? '';
}
console.log('stream:', text);
