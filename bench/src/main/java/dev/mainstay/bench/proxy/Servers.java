package dev.mainstay.bench.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Starts the upstream, nginx in front of it, and the gateway in front of it, each on its core. */
final class Servers {
  /**
   * As long as a provider's: what looks for keys in answers is the quicker, the longer they are.
   */
  private static final String KEY = "sk-bench-" + "0123456789abcdef".repeat(3);

  private final Machine machine;
  private final Path folder;

  Servers(Machine machine, Path folder) {
    this.machine = machine;
    this.folder = folder;
  }

  /** nginx as the provider: the same answer to every request, at the payload's pace. */
  Proc upstream() throws IOException {
    int port = freePort();
    var locations = new StringBuilder();
    var files = Files.createDirectories(folder.resolve("files"));
    for (var payload : Payload.ALL) {
      Files.write(files.resolve(payload.name()), payload.answer());
      locations.append(
          """
              location /%1$s/ { return 405; error_page 405 =200 /files/%1$s; }
              location = /files/%1$s {
                internal; root %2$s; default_type %3$s; %4$s
              }
          """
              .formatted(
                  payload.name(),
                  folder,
                  payload.stream() ? "text/event-stream" : "application/json",
                  payload.rate() == 0
                      ? ""
                      : "limit_rate %d; sendfile_max_chunk %d;"
                          .formatted(payload.rate(), Payload.EVENT)));
    }
    return nginx("upstream", port, machine.upstreamCore(), locations.toString(), "");
  }

  /** nginx as the proxy. */
  Proc nginxProxy(int upstreamPort) throws IOException {
    var common =
        "proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection \"\";"
            + " proxy_set_header Host $host;";
    var streams =
        Payload.ALL.stream()
            .filter(Payload::stream)
            .map(Payload::name)
            .collect(Collectors.joining("|"));
    return nginx(
        "nginx proxy_pass",
        freePort(),
        machine.proxyCore(),
        "    location / { %s }%n    location ~ ^/(%s)/ { %s proxy_buffering off; }%n"
            .formatted(common, streams, common),
        "  upstream up { server 127.0.0.1:%d; keepalive 11000; keepalive_requests 1000000000; }%n"
            .formatted(upstreamPort));
  }

  private Proc nginx(String name, int port, int core, String locations, String before)
      throws IOException {
    var conf = folder.resolve(name.replace(' ', '-') + ".conf");
    Files.writeString(
        conf,
        """
        daemon off;
        user root;
        worker_processes 1;
        worker_rlimit_nofile %6$d;
        pid %1$s.pid;
        error_log %1$s.log error;
        events { worker_connections %6$d; multi_accept on; }
        http {
          access_log off;
          sendfile off;
          output_buffers 2 32k;
          open_file_cache max=100;
          tcp_nodelay on;
          keepalive_timeout 600s;
          keepalive_requests 1000000000;
          client_body_buffer_size 256k;
          client_max_body_size 10m;
          client_body_temp_path %5$s/client; proxy_temp_path %5$s/proxy;
          fastcgi_temp_path %5$s/f; uwsgi_temp_path %5$s/u; scgi_temp_path %5$s/s;
        %3$s  server {
            listen 127.0.0.1:%2$d backlog=4096;
        %4$s  }
        }
        """
            .formatted(conf, port, before, locations, folder, machine.files() - 16));
    return start(
        name,
        port,
        core,
        List.of("nginx", "-p", folder.toString(), "-e", conf + ".log", "-c", conf.toString()));
  }

  /**
   * Mainstay with everything at its default, recording bodies too.
   *
   * @param jvm options beside the launcher's own
   */
  Proc gateway(int upstreamPort, List<String> jvm) throws IOException {
    var config = folder.resolve("mainstay.yaml");
    var store = Files.createTempDirectory(folder, "store");
    Files.writeString(
        config,
        "store: { url: \"%s\" }%nrecovery: { timeouts: { first-token: 3m } }%nproviders:%n%s"
            .formatted(
                store,
                Payload.ALL.stream()
                    .map(
                        payload ->
                            "  %1$s: { dialect: openai, base-url: \"http://127.0.0.1:%2$d/%1$s/v1\", keys: [%3$s] }%n"
                                .formatted(payload.name(), upstreamPort, KEY))
                    .collect(Collectors.joining())));
    int port = freePort();
    var command = new ArrayList<String>();
    command.add(machine.launcher().toString());
    command.addAll(List.of("serve", "--config", config.toString(), "--port", "" + port));
    var builder = builder("mainstay", machine.proxyCore(), command);
    builder.environment().put("MAINSTAY_NO_BUILD", "1");
    builder.environment().put("MAINSTAY_NO_AOT", "1");
    // What the caller has set himself stays.
    builder.environment().merge("MAINSTAY_JAVA_OPTS", String.join(" ", jvm), (a, b) -> a + " " + b);
    return started("mainstay", port, builder);
  }

  private Proc start(String name, int port, int core, List<String> command) throws IOException {
    return started(name, port, builder(name, core, command));
  }

  private ProcessBuilder builder(String name, int core, List<String> command) {
    var pinned = new ArrayList<String>(List.of("taskset", "-c", "" + core));
    pinned.addAll(command);
    var log = folder.resolve(name.replace(' ', '-') + ".out").toFile();
    return new ProcessBuilder(pinned).redirectErrorStream(true).redirectOutput(log);
  }

  private Proc started(String name, int port, ProcessBuilder builder) throws IOException {
    var proc = new Proc(name, builder.start(), port);
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!listens(port)) {
      if (!proc.process().isAlive() || System.nanoTime() > until) {
        proc.close();
        throw new IOException(
            name + " did not start; its words are in " + builder.redirectOutput().file());
      }
      pause();
    }
    return proc;
  }

  private static void pause() {
    java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
  }

  private static boolean listens(int port) {
    try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
