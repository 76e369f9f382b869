package dev.mainstay.call.simulation;

import dev.mainstay.call.api.CallRequest;
import dev.mainstay.ledger.AttemptRecord;
import dev.mainstay.ledger.CallRecord;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call as the world around it saw it. */
final class Observed {
  final int index;
  final CallRequest request;
  final Wire wire;
  final Wire.Answer answer;
  final SimulatedClient client;
  final long startedAt;
  final List<Sent> sent = new ArrayList<>();

  /** Whether money is held for an attempt. */
  boolean held;

  int settled;
  int begun;
  @Nullable String id;
  @Nullable CallRecord record;
  List<AttemptRecord> attempts = List.of();
  boolean reported;

  Observed(
      int index,
      CallRequest request,
      Wire wire,
      Wire.Answer answer,
      SimulatedClient client,
      long startedAt) {
    this.wire = wire;
    this.index = index;
    this.request = request;
    this.answer = answer;
    this.client = client;
    this.startedAt = startedAt;
  }

  @Override
  public String toString() {
    return "call " + index;
  }
}
