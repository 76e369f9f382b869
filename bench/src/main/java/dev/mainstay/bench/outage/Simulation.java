package dev.mainstay.bench.outage;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Runs one strategy through one scenario, event by event. Deterministic by seed. */
final class Simulation {
  private final Scenario scenario;
  private final Strategy strategy;
  private final Provider provider;
  private final SplittableRandom random;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Series series;
  private long order;

  private Simulation(Scenario scenario, Strategy strategy, SplittableRandom random) {
    this.scenario = scenario;
    this.strategy = strategy;
    this.random = random;
    this.provider = new Provider(scenario, random.split());
    this.series = new Series(strategy.name(), (int) Math.ceil(scenario.end()));
  }

  static Series run(Scenario scenario, Strategy strategy, long seed) {
    var simulation = new Simulation(scenario, strategy, new SplittableRandom(seed));
    simulation.run();
    return simulation.series;
  }

  private void run() {
    for (int client = 0; client < scenario.clients().count(); client++) {
      think(client, 0);
    }
    while (!events.isEmpty() && events.peek().time < scenario.end()) {
      var event = events.remove();
      event.what.accept(event.time);
    }
  }

  private void ask(int client, double now) {
    series.asked(now);
    var attempts = strategy.ask(client, now);
    sendAt(attempts.first(now), client, attempts, now, now);
  }

  private void sendAt(
      double when, int client, Strategy.Attempts attempts, double asked, double now) {
    if (when == Strategy.NEVER) {
      series.gaveUp(now);
      think(client, now);
      return;
    }
    at(when, at -> send(client, attempts, asked, at));
  }

  private void send(int client, Strategy.Attempts attempts, double asked, double now) {
    if (!attempts.maySend(now)) {
      sendAt(attempts.afterRefusal(now), client, attempts, asked, now);
      return;
    }
    series.load(now);
    var reply = provider.receive(now);
    double lost = now + scenario.clients().attemptTimeout();
    if (reply.at() > lost) {
      at(lost, at -> sendAt(attempts.afterFailure(true, at), client, attempts, asked, at));
    } else if (!reply.answered()) {
      at(reply.at(), at -> sendAt(attempts.afterFailure(false, at), client, attempts, asked, at));
    } else {
      at(
          reply.at(),
          at -> {
            attempts.answered(at);
            if (at - asked <= scenario.clients().patience()) {
              series.useful(at);
            }
            think(client, at);
          });
    }
  }

  private void think(int client, double now) {
    double pause = -Math.log(1 - random.nextDouble()) * scenario.clients().think();
    at(now + pause, at -> ask(client, at));
  }

  private void at(double time, Action what) {
    events.add(new Event(time, order++, what));
  }

  @FunctionalInterface
  private interface Action {
    void accept(double now);
  }

  private record Event(double time, long order, Action what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Double.compare(time, other.time);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }
}
