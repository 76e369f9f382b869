package dev.mainstay.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class in which a buffer was lost: every one is tracked, and lost ones are found
 * after a collection.
 */
final class NoLeaks implements BeforeAllCallback, AfterAllCallback {
  private static final ConcurrentLinkedQueue<String> LOST = new ConcurrentLinkedQueue<>();

  static {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(
        new ResourceLeakDetectorFactory() {
          @Override
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int interval, long most) {
            return detector(resource, interval);
          }

          @Override
          public <T> ResourceLeakDetector<T> newResourceLeakDetector(
              Class<T> resource, int interval) {
            return detector(resource, interval);
          }
        });
  }

  private static <T> ResourceLeakDetector<T> detector(Class<T> resource, int interval) {
    return new ResourceLeakDetector<>(resource, interval) {
      @Override
      protected void reportTracedLeak(String type, String records) {
        LOST.add(type + records);
      }

      @Override
      protected void reportUntracedLeak(String type) {
        LOST.add(type);
      }
    };
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    LOST.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    // The detector looks at what the collector found whenever a new buffer is made.
    for (int i = 0; i < 3; i++) {
      System.gc();
      ByteBufAllocator.DEFAULT.buffer(1).release();
    }
    assertThat(LOST).isEmpty();
  }
}
