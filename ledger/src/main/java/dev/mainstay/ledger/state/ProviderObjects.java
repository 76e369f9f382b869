package dev.mainstay.ledger.state;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/**
 * Which target and key made each object that a provider keeps: responses, files, batches and their
 * like. An object exists for the account that made it alone, so what names one has to go there.
 * Threads and failures as in {@link DurableState}.
 */
public interface ProviderObjects {
  /** Characters of an id; a longer one is not kept. Providers give 30 to 70. */
  int LONGEST_ID = 256;

  /**
   * An object and what made it.
   *
   * @param id as the provider gave it
   * @param provider its name in the configuration
   * @param model the model that made it, or "" where none did
   * @param key stands for the key that made it; "" where the provider needs none
   * @param client the name of the client that asked for it, or "" where none is needed
   * @param lasting whether its provider keeps it until it is deleted, as a file. What a model call
   *     leaves is forgotten after 31 days, since OpenAI keeps a response for 30
   *     (https://platform.openai.com/docs/guides/conversation-state, 2026-11); what lasts, 400 days
   *     after its last use
   */
  record CreatedObject(
      String id, String provider, String model, String key, String client, boolean lasting) {
    public CreatedObject {
      Objects.requireNonNull(id, "id");
      Objects.requireNonNull(provider, "provider");
      Objects.requireNonNull(model, "model");
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(client, "client");
    }
  }

  /**
   * Keeps {@code objects}. One that is known stays its first client's, whoever says it made it.
   *
   * @return true once they are on disk; false where the store is away: they are written when it is
   *     back, and {@link #find} knows them at once in this process
   */
  CompletionStage<Boolean> remember(List<CreatedObject> objects, Instant now);

  /** Those of {@code ids} that are known; of one id, the newest first. */
  CompletionStage<List<CreatedObject>> find(List<String> ids, Instant now);
}
