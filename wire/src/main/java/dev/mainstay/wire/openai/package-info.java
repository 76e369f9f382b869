/**
 * OpenAI Chat (and Mistral, its variant), OpenAI Responses and embeddings as far as the raw lane
 * reads them: content, ending, usage. What crosses dialects is read in {@code translate.chat} and
 * {@code translate.responses}.
 */
@NullMarked
package dev.mainstay.wire.openai;

import org.jspecify.annotations.NullMarked;
