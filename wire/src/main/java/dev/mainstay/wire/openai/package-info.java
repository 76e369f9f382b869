/** OpenAI Chat Completions (and Mistral, its variant), OpenAI Responses, embeddings. */
@NullMarked
package dev.mainstay.wire.openai;

import org.jspecify.annotations.NullMarked;
