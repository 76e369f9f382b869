/**
 * OpenAI Chat, and Mistral as its variant: requests and answers read into the shapes of no dialect,
 * and written from them.
 */
@NullMarked
package dev.mainstay.wire.translate.chat;

import org.jspecify.annotations.NullMarked;
