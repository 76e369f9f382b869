package dev.mainstay.ledger.sql;

import dev.mainstay.ledger.Body;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the bodies of the call are that is being written: texts of the store's own that end with a
 * colon and the length. A few, so they are looked through.
 */
public final class BodyPlaces {
  private final List<Body> bodies = new ArrayList<>();
  private final List<String> places = new ArrayList<>();

  /** For the next call. */
  public void clear() {
    bodies.clear();
    places.clear();
  }

  /** A body was kept at {@code place}. */
  public void add(Body body, String place) {
    bodies.add(body);
    places.add(place);
  }

  /** The place of a body as its column holds it, or null where none is kept. */
  @Nullable String of(int attempt, Body.Part part) {
    for (int i = 0; i < bodies.size(); i++) {
      var body = bodies.get(i);
      if (body.attempt() == attempt && body.part() == part) {
        return places.get(i);
      }
    }
    return null;
  }

  /**
   * The place of these very bytes, or null: an answer that passes unchanged is one array, for the
   * attempt and for the client.
   */
  @SuppressWarnings("ArrayEquals") // the very same array; equal ones the segment finds
  public @Nullable String of(byte[] bytes) {
    for (int i = 0; i < bodies.size(); i++) {
      if (bodies.get(i).bytes() == bytes) {
        return places.get(i);
      }
    }
    return null;
  }
}
