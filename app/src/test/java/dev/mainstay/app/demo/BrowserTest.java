package dev.mainstay.app.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BrowserTest {
  private static final String STUDIO = "http://127.0.0.1:8484/";

  @Test
  void opensAnAddressByWhatTheSystemOffers() {
    assertThat(Browser.command("Mac OS X", Map.of(), STUDIO)).containsExactly("open", STUDIO);
    assertThat(Browser.command("Windows 11", Map.of(), STUDIO)).contains(STUDIO);
    assertThat(Browser.command("Linux", Map.of("DISPLAY", ":0"), STUDIO))
        .containsExactly("xdg-open", STUDIO);
  }

  @Test
  void opensNothingWhereThereIsNoScreen() {
    assertThat(Browser.command("Linux", Map.of(), STUDIO)).isEmpty();
  }
}
