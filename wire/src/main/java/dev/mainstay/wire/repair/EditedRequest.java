package dev.mainstay.wire.repair;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request after a repair that changed it.
 *
 * @param body the request as it is to be sent now
 * @param before the size of what was to shrink, in a unit of the repair's own
 * @param after its size now; smaller than {@code before}
 * @param what was done, in words for the record, with names of parameters and no values of the
 *     request
 * @param learned what is worth remembering for the target, or null where it is true of this request
 *     alone
 * @param lost what the client asked for and does not get, by the names of parameters; "image" for
 *     images
 */
@SuppressWarnings("ArrayRecordComponent") // bodies are not changed by anyone
public record EditedRequest(
    byte[] body, long before, long after, String what, @Nullable Quirk learned, Set<String> lost) {
  public EditedRequest {
    lost = Set.copyOf(lost);
  }
}
