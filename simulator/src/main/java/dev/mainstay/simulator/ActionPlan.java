package dev.mainstay.simulator;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns a step and a good answer into what is done on the connection. Pure. */
final class ActionPlan {
  private final Step step;
  private final Format format;
  private final Reply reply;
  private final Map<String, String> headers;
  private final List<Action> actions = new ArrayList<>();
  private boolean ended;

  private ActionPlan(Step step, Format format, Reply reply, Map<String, String> headers) {
    this.step = step;
    this.format = format;
    this.reply = reply;
    this.headers = headers;
  }

  /** {@code headers}: those that every answer has. */
  static List<Action> of(
      Step step, Format format, SimulatedRequest ask, Reply reply, Map<String, String> headers) {
    var plan = new ActionPlan(step, format, reply, headers);
    plan.pause(step.delay());
    switch (step.fault()) {
      case Fault.Reply other ->
          plan.other(other.status(), other.headers(), ask.filled(other.body()));
      case Fault.ErrorEvent event when !reply.stream() ->
          plan.other(200, Map.of(), ask.filled(event.body()));
      case Fault.Malformed _ when !reply.stream() -> {
        String half = new String(reply.deltas().getFirst(), StandardCharsets.UTF_8);
        plan.other(200, Map.of(), half);
      }
      default -> plan.play(ask);
    }
    return List.copyOf(plan.actions);
  }

  private void other(int status, Map<String, String> more, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    var all = new LinkedHashMap<>(headers);
    all.put("content-type", "application/json");
    all.putAll(more);
    all.put("content-length", Integer.toString(bytes.length));
    actions.add(new Action.Head(status, all));
    actions.add(new Action.Send(bytes));
    actions.add(new Action.Finish());
  }

  private void play(SimulatedRequest ask) {
    FaultPoint point = point();
    if (point != null && point.countsBytes()) {
      playTo(point.bytes(), ask);
      return;
    }
    at(FaultPoint.BEFORE_HEADERS.deltas(), ask);
    if (ended) return;
    head();
    at(FaultPoint.AFTER_HEADERS.deltas(), ask);
    send(reply.preamble());
    int count = reply.deltas().size();
    for (int i = 0; i < count && !ended; i++) {
      at(i, ask);
      if (i > 0) pause(step.drip());
      delta(reply.deltas().get(i), i);
    }
    // A place beyond the last delta is the one after it.
    if (!ended && place() >= count) at(place(), ask);
    if (ended) return;
    pause(step.drip());
    send(reply.ending());
    actions.add(new Action.Finish());
  }

  /** Sends events up to a byte, then has the fault. */
  private void playTo(int bytes, SimulatedRequest ask) {
    head();
    var events = new ArrayList<byte[]>(reply.preamble());
    events.addAll(reply.deltas());
    events.addAll(reply.ending());
    int left = bytes;
    boolean faulted = false;
    for (byte[] event : events) {
      int before = faulted ? event.length : Math.min(left, event.length);
      if (before > 0) actions.add(new Action.Send(Arrays.copyOf(event, before)));
      left -= before;
      if (!faulted && left == 0) {
        faulted = true;
        at(place(), ask);
        if (ended) return;
        if (before < event.length)
          actions.add(new Action.Send(Arrays.copyOfRange(event, before, event.length)));
      }
    }
    if (!faulted) at(place(), ask);
    if (!ended) actions.add(new Action.Finish());
  }

  private @Nullable FaultPoint point() {
    return step.fault().at();
  }

  private int place() {
    FaultPoint point = point();
    if (point == null) return Integer.MIN_VALUE;
    // Without headers or preamble there is no stream to send an event in.
    boolean event =
        step.fault() instanceof Fault.ErrorEvent || step.fault() instanceof Fault.Malformed;
    return event ? Math.max(FaultPoint.AFTER_HEADERS.deltas(), point.deltas()) : point.deltas();
  }

  private void at(int place, SimulatedRequest ask) {
    if (ended || place != place()) return;
    switch (step.fault()) {
      case Fault.Reset _ -> end(new Action.Reset());
      case Fault.Silence(FaultPoint _, var lasting) -> {
        if (lasting == null) end(new Action.Hang());
        else pause(lasting);
      }
      case Fault.End _ ->
          end(
              place == FaultPoint.BEFORE_HEADERS.deltas()
                  ? new Action.Abort()
                  : new Action.Finish());
      case Fault.Cut _ -> end(new Action.Abort());
      case Fault.ErrorEvent event -> {
        actions.add(new Action.Send(format.errorEvent(ask.filled(event.body()))));
        end(new Action.Finish());
      }
      case Fault.Malformed _ -> actions.add(new Action.Send(format.malformedEvent()));
      case Fault.None _, Fault.Reply _, Fault.CutInside _ -> {}
    }
  }

  private void head() {
    var all = new LinkedHashMap<>(headers);
    all.put("content-type", reply.contentType());
    if (reply.stream()) {
      all.put("cache-control", "no-cache");
    } else if (!(step.fault() instanceof Fault.End) && !inChunk()) {
      all.put("content-length", Integer.toString(reply.size()));
    }
    actions.add(new Action.Head(200, all));
  }

  private boolean inChunk() {
    return step.fault() instanceof Fault.CutInside(Fault.Part part) && part == Fault.Part.CHUNK;
  }

  private void delta(byte[] bytes, int index) {
    if (!(step.fault() instanceof Fault.CutInside(Fault.Part part))) {
      actions.add(new Action.Send(bytes));
      return;
    }
    boolean last = index == reply.deltas().size() - 1;
    int cut =
        switch (part) {
          case CHARACTER -> insideCharacter(bytes);
          case JSON, CHUNK -> index >= 1 || last ? bytes.length / 2 : -1;
        };
    if (cut < 0) {
      actions.add(new Action.Send(bytes));
      return;
    }
    byte[] begun = Arrays.copyOf(bytes, cut);
    if (part == Fault.Part.CHUNK) {
      byte[] size =
          (Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII);
      actions.add(new Action.Raw(size));
      actions.add(new Action.Raw(begun));
    } else {
      actions.add(new Action.Send(begun));
    }
    end(new Action.Abort());
  }

  /** The place after the first byte of the first character of several bytes, or below 0. */
  private static int insideCharacter(byte[] bytes) {
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] < 0) return i + 1;
    }
    return -1;
  }

  private void send(List<byte[]> events) {
    if (ended) return;
    for (byte[] event : events) actions.add(new Action.Send(event));
  }

  private void pause(Duration lasting) {
    if (lasting.isPositive()) actions.add(new Action.Pause(lasting));
  }

  private void end(Action action) {
    actions.add(action);
    ended = true;
  }
}
