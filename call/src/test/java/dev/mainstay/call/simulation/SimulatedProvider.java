package dev.mainstay.call.simulation;

import dev.mainstay.core.recovery.TargetId;
import dev.mainstay.http.Loop;
import dev.mainstay.http.UpstreamCall;
import dev.mainstay.http.UpstreamClient;
import dev.mainstay.http.UpstreamFailure;
import dev.mainstay.http.UpstreamListener;
import dev.mainstay.http.UpstreamRequest;
import dev.mainstay.http.UpstreamTransport;
import dev.mainstay.wire.Api;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;

/** A provider that answers, refuses, breaks off, stalls or says nothing, as its seed has it. */
final class SimulatedProvider implements UpstreamTransport {
  private static final long MS = 1_000_000;
  private static final int REFUSALS = 9;

  private final String name;
  private final Api api;
  private final VirtualTime time;
  private final RandomGenerator random;
  private final Promises promises;

  /** Of 100 attempts so many go well. */
  private final int health;

  /** What it mostly refuses for, so that calls at the same time meet the same trouble. */
  private final int mood;

  private boolean closed;

  SimulatedProvider(
      String name,
      Api api,
      int health,
      VirtualTime time,
      RandomGenerator random,
      Promises promises) {
    this.name = name;
    this.api = api;
    this.health = health;
    this.time = time;
    this.random = random;
    this.promises = promises;
    mood = random.nextInt(REFUSALS);
  }

  @Override
  public UpstreamCall send(UpstreamRequest request, Loop loop, UpstreamListener listener) {
    promises.check(!closed, "a client is never closed under a call");
    var body = request.body().toString(StandardCharsets.UTF_8);
    request.body().release();
    var call = promises.call(request.headers().get("traceparent"));
    var key = key(request);
    var model = api == Api.GEMINI ? geminiModel(request.path()) : Wire.field(body, "model");
    var sent = promises.sent(call, new TargetId(name, model), key, body, request);
    var exchange = new Exchange(call, Wire.asked(api, request.path()), sent, listener);
    exchange.plan();
    exchange.next();
    return exchange;
  }

  private String key(UpstreamRequest request) {
    var headers = request.headers();
    return switch (api) {
      case OPENAI, MISTRAL ->
          String.valueOf(headers.get("authorization")).substring("Bearer ".length());
      case ANTHROPIC -> String.valueOf(headers.get("x-api-key"));
      case GEMINI -> String.valueOf(headers.get("x-goog-api-key"));
    };
  }

  private static String geminiModel(String path) {
    return path.substring(path.lastIndexOf('/') + 1, path.lastIndexOf(':'));
  }

  @Override
  public UpstreamClient.Connections connections() {
    return new UpstreamClient.Connections(0, 0);
  }

  @Override
  public void close() {
    closed = true;
  }

  private record Step(long after, boolean always, Runnable run) {}

  /** One request under way. */
  private final class Exchange implements UpstreamCall {
    private final Observed call;
    private final Wire wire;
    private final Sent sent;
    private final UpstreamListener listener;
    private final ArrayDeque<Step> steps = new ArrayDeque<>();
    private UpstreamFailure.Progress progress = UpstreamFailure.Progress.NOT_CONNECTED;
    private boolean cancelled;
    private boolean paused;
    private boolean waiting;
    private int heedless;

    Exchange(Observed call, Wire wire, Sent sent, UpstreamListener listener) {
      this.call = call;
      this.wire = wire;
      this.sent = sent;
      this.listener = listener;
    }

    void next() {
      var step = steps.peek();
      if (step != null) {
        time.in(step.after, this::run);
      }
    }

    private void run() {
      var step = steps.peek();
      if (cancelled || step == null) {
        return;
      }
      if (paused && !step.always) {
        waiting = true;
        return;
      }
      steps.poll();
      step.run.run();
      next();
    }

    @Override
    public void cancel() {
      cancelled = true;
      sent.open = false;
      steps.clear();
    }

    @Override
    public void pause() {
      paused = true;
    }

    @Override
    public void resume() {
      paused = false;
      if (waiting) {
        waiting = false;
        time.in(0, this::run);
      }
    }

    @Override
    public void write(ByteBuf part) {
      throw new IllegalStateException("the body was whole");
    }

    @Override
    public void endBody(HttpHeaders trailers) {
      throw new IllegalStateException("the body was whole");
    }

    @Override
    public boolean writable() {
      return true;
    }

    @Override
    public void onWritable(Runnable callback) {
      throw new IllegalStateException("the body was whole");
    }

    // ---- what it does

    private long soon() {
      return switch (random.nextInt(20)) {
        case 0 -> random.nextLong(5_000 * MS);
        case 1 -> 0;
        default -> random.nextLong(200 * MS);
      };
    }

    private void add(boolean always, Runnable run) {
      steps.add(new Step(soon(), always, run));
    }

    private void fails(Throwable cause) {
      add(
          false,
          () -> {
            sent.truth = Truth.PROVIDER_FAILED;
            sent.open = false;
            listener.failed(new UpstreamFailure(cause, progress, false, 0));
          });
    }

    private void head(int status, String type, String... more) {
      var headers = new DefaultHttpHeaders();
      headers.set("content-type", type);
      for (int i = 0; i < more.length; i += 2) {
        headers.set(more[i], more[i + 1]);
      }
      add(
          false,
          () -> {
            progress = UpstreamFailure.Progress.HEADERS;
            listener.headers(status, headers);
          });
    }

    private void data(String text) {
      add(false, () -> deliver(text));
    }

    /** Sends what its reader need not wait for the end of. */
    private void last(String text) {
      add(
          false,
          () -> {
            sent.truth = Truth.PROVIDER_FAILED;
            deliver(text);
          });
    }

    private void deliver(String text) {
      heedless = call.client.writable() || call.client.gone ? 0 : heedless + 1;
      promises.check(heedless < 3, "a slow client slows its provider down");
      var part = Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
      boolean committed = call.client.committed;
      listener.data(part);
      if (sent.probe && sent.open && !committed && call.client.committed) {
        promises.probed(sent);
      }
      promises.check(part.refCnt() == 0, "what was received is released");
    }

    private void end(Truth truth) {
      end(truth, 0);
    }

    /**
     * @param rests seconds for which it wants no more, as it has told
     */
    private void end(Truth truth, long rests) {
      add(
          false,
          () -> {
            sent.truth = truth;
            time.trace("ended", call, sent.target, sent.key, truth, rests);
            sent.notBefore = time.nanos() + rests * 1_000 * MS;
            if (truth == Truth.KEY_RESTS) {
              promises.keyRests(sent);
            }
            sent.open = false;
            listener.end();
          });
    }

    void plan() {
      if (random.nextInt(60) == 0) {
        return; // no connection, and no word of it
      }
      if (random.nextInt(100) >= health && random.nextInt(5) == 0) {
        fails(
            random.nextBoolean()
                ? new ConnectException("Connection refused")
                : new UnknownHostException(name));
        return;
      }
      add(
          true,
          () -> {
            progress = UpstreamFailure.Progress.NOT_SENT;
            listener.connected(false);
          });
      add(
          true,
          () -> {
            progress = UpstreamFailure.Progress.SENT;
            listener.sent();
          });
      if (random.nextInt(100) < health) {
        answer();
      } else if (random.nextInt(3) == 0) {
        breaks();
      } else {
        refuses();
      }
    }

    private boolean usageAsked() {
      return wire != Wire.CHAT || sent.body.contains("\"include_usage\":true");
    }

    /** What the model writes: all of it, or what is missing of what the client has. */
    private Wire.Answer written() {
      var all = call.answer;
      if (sent.committedBefore && random.nextBoolean()) {
        var had = call.wire.read(call.client.received()).text();
        if (all.text().startsWith(had)) {
          return new Wire.Answer(all.text().substring(had.length()), all.arguments(), all.tokens());
        }
      }
      return all;
    }

    private void answer() {
      var answer = written();
      if (!call.request.content().stream() || random.nextInt(40) == 0) {
        head(200, "application/json");
        add(false, () -> sent.generated = true);
        var body = wire.whole(answer);
        int cut = random.nextInt(body.length());
        data(body.substring(0, cut));
        data(body.substring(cut));
        steps.add(
            new Step(
                0,
                false,
                () -> {
                  sent.toldTokens = answer.tokens();
                }));
        end(Truth.GOOD);
        return;
      }
      head(200, "text/event-stream");
      var events = wire.stream(answer, usageAsked(), random);
      stream(String.join("", events), usageAsked() ? answer.tokens() : -1);
      switch (random.nextInt(8)) {
        case 0 -> {} // it keeps the connection open
        case 1 ->
            add(
                false,
                () -> {
                  sent.open = false;
                  listener.failed(
                      new UpstreamFailure(new IOException("Connection reset"), progress, false, 0));
                });
        default -> end(Truth.GOOD);
      }
    }

    /** Sends text in pieces that need not be whole events. */
    private void stream(String text, int tokens) {
      for (int at = 0; at < text.length(); ) {
        int end = Math.min(text.length(), at + 1 + random.nextInt(900));
        if (random.nextInt(4) != 0) {
          // Most providers write whole events.
          var between = wire.endOfEvent();
          int whole = text.indexOf(between, end - 1);
          end = whole < 0 ? text.length() : Math.min(text.length(), whole + between.length());
        }
        var piece = text.substring(at, end);
        boolean last = end == text.length();
        add(
            false,
            () -> {
              sent.generated = true;
              if (last) {
                sent.truth = Truth.GOOD;
                sent.toldTokens = tokens;
              }
              deliver(piece);
            });
        at = end;
      }
    }

    /** An answer that begins and does not end well. */
    private void breaks() {
      if (random.nextInt(6) == 0) {
        fails(new IOException("Connection reset by peer"));
        return;
      }
      if (!call.request.content().stream()) {
        head(200, "application/json");
        add(false, () -> sent.generated = true);
        var body = wire.whole(call.answer);
        switch (random.nextInt(4)) {
          case 0 -> {
            data(body.substring(0, random.nextInt(1, body.length())));
            end(Truth.PROVIDER_FAILED);
          }
          case 1 -> {
            data("<html><body>502 Bad Gateway</body></html>");
            end(Truth.PROVIDER_FAILED);
          }
          case 2 -> {
            data(body.substring(0, random.nextInt(1, body.length())));
            fails(new IOException("Connection reset by peer"));
          }
          default -> data(body.substring(0, random.nextInt(1, body.length()))); // and stalls
        }
        return;
      }
      head(200, "text/event-stream");
      var events = wire.stream(written(), usageAsked(), random);
      int whole = random.nextInt(events.size());
      if (whole > 0) {
        var text = String.join("", events.subList(0, whole));
        for (int at = 0; at < text.length(); ) {
          int end = Math.min(text.length(), at + 1 + random.nextInt(900));
          var piece = text.substring(at, end);
          add(
              false,
              () -> {
                sent.generated = true;
                deliver(piece);
              });
          at = end;
        }
      }
      var next = events.get(whole);
      switch (random.nextInt(6)) {
        case 0 -> end(Truth.PROVIDER_FAILED);
        case 1 -> fails(new IOException("Connection reset by peer"));
        case 2 -> {} // it stalls
        case 3 -> {
          data(next.substring(0, random.nextInt(1, Math.min(next.length(), 7))));
          end(Truth.PROVIDER_FAILED);
        }
        case 4 -> {
          last(wire.errorEvent());
          end(Truth.PROVIDER_FAILED);
        }
        default -> {
          last("data: {not json\n\n");
          end(Truth.PROVIDER_FAILED);
        }
      }
    }

    private void refuses() {
      switch (random.nextInt(3) == 0 ? mood : random.nextInt(REFUSALS)) {
        case 0 -> error(Wire.Refusal.KEY, Truth.KEY_REFUSED);
        case 1 -> error(Wire.Refusal.MODEL, Truth.TARGET_REFUSED);
        case 2 -> error(Wire.Refusal.CONTEXT, Truth.REQUEST_REFUSED);
        case 3 -> error(Wire.Refusal.VALUE, Truth.REQUEST_REFUSED);
        case 4 -> limited();
        case 5 -> {
          head(307, "text/plain", "location", "https://elsewhere.test/v1");
          end(Truth.TARGET_REFUSED);
        }
        default -> {
          int[] statuses = {500, 502, 503, 504, 529};
          int status = statuses[random.nextInt(statuses.length)];
          long wait = status == 503 && random.nextBoolean() ? random.nextInt(8) : 0;
          if (wait > 0) {
            head(status, "application/json", "retry-after", Long.toString(wait));
          } else {
            head(status, "application/json");
          }
          data(wire.error(Wire.Refusal.FAULT, status, sent.key));
          end(Truth.PROVIDER_FAILED, wait);
        }
      }
    }

    private void error(Wire.Refusal refusal, Truth truth) {
      head(refusal.status, "application/json");
      data(wire.error(refusal, refusal.status, sent.key));
      end(truth);
    }

    private void limited() {
      long wait = random.nextInt(4) == 0 ? random.nextInt(90) : 1 + random.nextInt(4);
      head(429, "application/json", "retry-after", Long.toString(wait));
      data(wire.error(Wire.Refusal.LIMIT, 429, sent.key));
      end(Truth.KEY_RESTS, wait);
    }
  }
}
