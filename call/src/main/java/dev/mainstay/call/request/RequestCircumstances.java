package dev.mainstay.call.request;

import dev.mainstay.call.api.ProviderSpec;
import dev.mainstay.call.recording.ErrorMapper;
import dev.mainstay.call.upstream.BaseUrls;
import dev.mainstay.core.classify.Circumstances;
import dev.mainstay.core.failure.Failure;
import org.jspecify.annotations.Nullable;

/**
 * What a call knows of one request that failed. Belongs to the call's loop.
 *
 * @param provider that was asked
 * @param asked the request as it was made
 * @param continuation the answer that it was to go on with, or null
 */
public record RequestCircumstances(
    Failure failure,
    ProviderSpec provider,
    RequestBodies bodies,
    RequestBodies.Ready asked,
    @Nullable Continuation continuation)
    implements Circumstances {

  @Override
  public @Nullable String wrongBaseUrl() {
    return BaseUrls.complaint(provider);
  }

  @Override
  public @Nullable String words() {
    return ErrorMapper.words(failure);
  }

  @Override
  public boolean hasLooserSchema() {
    return RequestRepairs.hasLooserSchema(asked.dialect(), asked.body().bytes(), failure);
  }

  @Override
  public boolean triesWithoutImages() {
    return bodies.triesWithoutImages(asked);
  }

  @Override
  public boolean beganTheAnswer() {
    return continuation != null && continuation.beganTheAnswer(asked.manner());
  }
}
