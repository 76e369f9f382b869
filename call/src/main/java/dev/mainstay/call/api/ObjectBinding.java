package dev.mainstay.call.api;

import dev.mainstay.core.recovery.TargetId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What one call has to do with objects that providers keep: the key that made what it names, and
 * where what it makes is remembered. Thread-safe; nothing here blocks.
 */
public interface ObjectBinding {
  /** It names nothing that is known, and nothing that it makes is remembered. */
  ObjectBinding NONE =
      new ObjectBinding() {
        @Override
        public @Nullable String key() {
          return null;
        }

        @Override
        public CompletionStage<Boolean> made(TargetId by, String key, List<String> ids) {
          return CompletableFuture.completedStage(true);
        }
      };

  /** The name of the key that made what it names, the only one to be used; null where any may. */
  @Nullable String key();

  /**
   * Remembers that {@code by} made objects.
   *
   * @param key the name of the key that made them, or "" where the provider needs none
   * @return comes to its end when they are on disk, or cannot be now; it never fails
   */
  CompletionStage<Boolean> made(TargetId by, String key, List<String> ids);
}
