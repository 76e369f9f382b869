package dev.mainstay.simulator;

import dev.mainstay.http.Exchange;
import tools.jackson.databind.JsonNode;

/** How one dialect writes what the simulator says. */
interface Format {
  /** The name in the log. */
  String label();

  /** Reads a request. */
  SimulatedRequest read(long id, long created, String provider, Exchange exchange, JsonNode body);

  /** The tokens that an answer may have, or 0: the request does not say. */
  default int mostTokens(SimulatedRequest ask) {
    return 0;
  }

  /** A good answer. */
  Reply answer(SimulatedRequest ask, Answer answer);

  /** An error event in a stream. */
  byte[] errorEvent(String body);

  /** An event that is no JSON. */
  default byte[] malformedEvent() {
    return Reply.data("{\"id\":\"broken\",\"choices\":[{\"index\":0,");
  }

  /** The answer where a model is not known. */
  Fault.Reply unknownModel(String model);

  /** The answer where a rate limit is reached; {@code waitMillis}: until it is not. */
  Fault.Reply rateLimited(String model, boolean tokens, int limit, long waitMillis);

  /** The answer where a model takes no prefill; only asked for where the dialect has one. */
  default Fault.Reply prefillRefused() {
    throw new UnsupportedOperationException(label() + " has no prefill");
  }

  /** How the dialect goes on where a model {@code asked} is to. */
  default Continues continues(Continues asked, SimulatedRequest ask) {
    return asked;
  }

  /**
   * Checks a request as the provider does, by its documentation.
   *
   * @throws RequestRefused where the provider refuses it
   */
  default void check(SimulatedRequest ask) {}

  /** The answer to a request that is refused for what it says. */
  default Fault.Reply refused(RequestRefused why) {
    throw new UnsupportedOperationException(label() + " refuses nothing");
  }

  /** The answer to a body that is no JSON. */
  Fault.Reply unreadable();
}
