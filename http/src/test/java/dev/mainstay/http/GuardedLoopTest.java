package dev.mainstay.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class GuardedLoopTest {
  @Test
  void whatAnyEventOfAnAnswerThrowsGoesToTheOwner() throws Exception {
    var events = UpstreamListener.class.getMethods();
    var failing =
        (UpstreamListener)
            Proxy.newProxyInstance(
                UpstreamListener.class.getClassLoader(),
                new Class<?>[] {UpstreamListener.class},
                (_, event, _) -> {
                  throw new IllegalStateException(event.getName());
                });
    var thrown = new ArrayList<Throwable>();
    try (var loops = Loops.start(1)) {
      var guarded = new GuardedLoop(loops.next(), thrown::add).guarded(failing);
      for (var event : events) {
        event.invoke(guarded, arguments(event));
      }
    }
    assertThat(thrown)
        .extracting(Throwable::getMessage)
        .containsExactly(Arrays.stream(events).map(Method::getName).toArray(String[]::new));
  }

  /** False, 0 and null. */
  private static @Nullable Object[] arguments(Method event) {
    var types = event.getParameterTypes();
    var arguments = new @Nullable Object[types.length];
    for (int i = 0; i < types.length; i++) {
      if (types[i] == boolean.class) {
        arguments[i] = false;
      } else if (types[i] == int.class) {
        arguments[i] = 0;
      }
    }
    return arguments;
  }
}
