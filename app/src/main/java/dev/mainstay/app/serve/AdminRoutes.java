package dev.mainstay.app.serve;

import dev.mainstay.app.ClassifyRoutes;
import dev.mainstay.app.selftest.SelftestRoutes;
import dev.mainstay.engine.Engine;
import dev.mainstay.http.Routes;
import dev.mainstay.studio.Studio;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every gateway offers beside its own admin API: agents and their runs, the rules in force,
 * self-tests and the studio.
 */
public final class AdminRoutes implements AutoCloseable {
  private final Agents agents;
  private final @Nullable Path file;
  private @Nullable SelftestRoutes selftest;

  /**
   * @param file the configuration's; null where it comes from the environment
   */
  public AdminRoutes(Agents agents, @Nullable Path file) {
    this.agents = agents;
    this.file = file;
  }

  /** Starts the agents on {@code engine}; to be called once. */
  public synchronized List<Routes> start(Engine engine) {
    var routes = new ArrayList<Routes>(agents.start(engine));
    routes.add(new ClassifyRoutes(() -> engine.current().rules().classifier()));
    selftest = new SelftestRoutes(() -> engine.current().config(), file);
    routes.add(selftest);
    routes.add(Studio.load());
    return routes;
  }

  /** Ends a self-test that is under way. The agents stay their owner's. */
  @Override
  public synchronized void close() {
    if (selftest != null) {
      selftest.close();
    }
  }
}
