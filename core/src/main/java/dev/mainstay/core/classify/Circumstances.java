package dev.mainstay.core.classify;

import org.jspecify.annotations.Nullable;

/**
 * What the maker of a request knows that bears on what its failure means, and that no failure
 * tells. Each is asked only where it decides, since finding out may mean reading the request.
 */
public interface Circumstances {
  /** Of a request that Mainstay passes through unread: nothing is known. */
  record Unread() implements Circumstances {
    @Override
    public @Nullable String wrongBaseUrl() {
      return null;
    }

    @Override
    public @Nullable String words() {
      return null;
    }

    @Override
    public boolean hasLooserSchema() {
      return false;
    }

    @Override
    public boolean triesWithoutImages() {
      return false;
    }

    @Override
    public boolean beganTheAnswer() {
      return false;
    }
  }

  /**
   * What is probably wrong with the provider's base URL, in a sentence; null where it looks right.
   */
  @Nullable String wrongBaseUrl();

  /** The provider's own words about the failure, or null where it wrote none. */
  @Nullable String words();

  /** Whether a tool's schema can do without the keywords that the failure names. */
  boolean hasLooserSchema();

  /** Whether the request has images and has not been tried without them: that is tried next. */
  boolean triesWithoutImages();

  /** Whether the request began the answer for the model: the next one asks in another way. */
  boolean beganTheAnswer();
}
