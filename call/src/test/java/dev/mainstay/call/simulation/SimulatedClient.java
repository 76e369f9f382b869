package dev.mainstay.call.simulation;

import dev.mainstay.call.api.ObjectBinding;
import dev.mainstay.call.api.Recipient;
import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.Loop;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A client that may be slow, and may leave. */
final class SimulatedClient implements Recipient, ObjectBinding {
  private static final long LONGEST_PAUSE = 3_000_000_000L;
  private static final long LONGEST_COMMIT = 20_000_000L;

  private final VirtualTime time;
  private final RandomGenerator random;
  private final Loop loop;
  private final Promises promises;
  private final Wire wire;

  /** Bytes it takes before it must read; much for most clients. */
  private final int room;

  private final StringBuilder received = new StringBuilder();
  private int unread;
  private boolean reading;
  private @Nullable Runnable onWritable;
  private @Nullable Runnable onGone;

  boolean begun;
  boolean over;
  boolean gone;
  int status;
  @Nullable HttpHeaders headers;
  long endedAt;

  /** Whether any of an answer has come. */
  boolean committed;

  boolean toolCallBegun;

  /** When what made the last answer is on disk. */
  private CompletableFuture<Boolean> remembered = CompletableFuture.completedFuture(true);

  private boolean failed;

  SimulatedClient(
      VirtualTime time, RandomGenerator random, Loop loop, int room, Promises promises, Wire wire) {
    this.wire = wire;
    this.time = time;
    this.random = random;
    this.loop = loop;
    this.room = room;
    this.promises = promises;
  }

  /** How much longer a call may take because this client does not read, in nanoseconds. */
  long slowness() {
    return room == Integer.MAX_VALUE ? 0 : LONGEST_PAUSE;
  }

  String received() {
    return received.toString();
  }

  @Override
  public Loop loop() {
    return loop;
  }

  @Override
  public void respond(int newStatus, HttpHeaders newHeaders, ByteBuf body) {
    promises.check(!begun && !over, "an answer is given once, and whole or in a stream");
    status = newStatus;
    headers = newHeaders;
    received.append(body.toString(StandardCharsets.UTF_8));
    body.release();
    ended();
  }

  @Override
  public void begin(int newStatus, HttpHeaders newHeaders) {
    promises.check(!begun && !over, "a stream begins once");
    begun = true;
    status = newStatus;
    headers = newHeaders;
  }

  @Override
  public void write(ByteBuf data) {
    promises.check(begun && !over, "a stream is written between its head and its end");
    var text = data.toString(StandardCharsets.UTF_8);
    data.release();
    received.append(text);
    committed |= !text.startsWith(":") && !text.isBlank() && !wire.isError(text);
    toolCallBegun |= wire.beginsCall(text);
    failed |= wire.isError(text);
    unread += text.length();
    if (unread >= room && !reading) {
      reading = true;
      time.in(random.nextLong(LONGEST_PAUSE), this::read);
    }
  }

  private void read() {
    reading = false;
    unread = 0;
    if (!gone && onWritable != null) {
      onWritable.run();
    }
  }

  @Override
  public void end() {
    promises.check(begun && !over, "a stream ends once");
    ended();
  }

  @Override
  public @Nullable String key() {
    return null;
  }

  /** A store that needs its time for a commit. */
  @Override
  public CompletionStage<Boolean> made(TargetId by, String key, List<String> ids) {
    var stage = new CompletableFuture<Boolean>();
    remembered = stage;
    time.in(random.nextLong(LONGEST_COMMIT), () -> stage.complete(true));
    return stage;
  }

  private void ended() {
    promises.check(
        remembered.isDone() || failed || status >= 400,
        "7: what made an answer is on disk before its last byte");
    promises.check(promises.recorded(this), "8: the record is made before the last byte");
    over = true;
    endedAt = time.nanos();
  }

  /** It leaves, unless it has its answer. */
  void leave() {
    if (!over && onGone != null) {
      gone = true;
      endedAt = time.nanos();
      onGone.run();
    }
  }

  @Override
  public boolean writable() {
    return unread < room;
  }

  @Override
  public void onWritable(Runnable callback) {
    onWritable = callback;
  }

  @Override
  public void onGone(Runnable callback) {
    onGone = callback;
  }
}
