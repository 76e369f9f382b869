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

  /** How the dialect goes on where a model {@code asked} is to. */
  default Continues continues(Continues asked, SimulatedRequest ask) {
    return asked;
  }

  /** The answer to a body that is no JSON. */
  Fault.Reply unreadable();

  /** A dialect in which a request may begin the answer. */
  interface Prefilled extends Format {
    /** The answer where a model takes no prefill. */
    Fault.Reply prefillRefused();
  }

  /** A dialect whose provider documents what it refuses. */
  interface Checked extends Format {
    /**
     * Checks a request as the provider does, by its documentation.
     *
     * @throws RequestRefused where the provider refuses it
     */
    void check(SimulatedRequest ask);

    /** The answer to a request that is refused for what it says. */
    Fault.Reply refused(RequestRefused why);
  }
}
