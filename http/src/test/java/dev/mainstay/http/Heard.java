package dev.mainstay.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Hears an upstream call out, and keeps what it heard. */
class Heard implements UpstreamListener {
  final List<Boolean> connections = new ArrayList<>();
  final CompletableFuture<Integer> head = new CompletableFuture<>();
  final StringBuilder body = new StringBuilder();
  final CompletableFuture<Heard> over = new CompletableFuture<>();
  @Nullable HttpHeaders headers;
  @Nullable UpstreamFailure failure;
  boolean sent;

  Heard await() throws InterruptedException, ExecutionException, TimeoutException {
    return over.get(60, TimeUnit.SECONDS);
  }

  @Override
  public void connected(boolean reused) {
    connections.add(reused);
  }

  @Override
  public void sent() {
    sent = true;
  }

  @Override
  public void headers(int status, HttpHeaders received) {
    headers = received;
    head.complete(status);
  }

  @Override
  public void data(ByteBuf part) {
    body.append(part.toString(UTF_8));
    part.release();
  }

  @Override
  public void end() {
    over.complete(this);
  }

  @Override
  public void failed(UpstreamFailure failed) {
    failure = failed;
    over.complete(this);
  }
}
