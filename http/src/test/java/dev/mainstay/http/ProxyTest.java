package dev.mainstay.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProxyTest {
  @ParameterizedTest
  @CsvSource({
    "*, any.test, true",
    "example.com, example.com, true",
    "example.com, api.example.com, true",
    "example.com, notexample.com, false",
    ".example.com, api.example.com, true",
    "*.example.com, api.example.com, true",
    "example.com:443, example.com, true",
    "example.com:8443, example.com, false",
    "10.0.0.0/8, 10.1.2.3, true",
    "10.0.0.0/8, 11.1.2.3, false",
    "10.0.0.0/nonsense, 10.1.2.3, false",
    "EXAMPLE.COM, Example.com, true",
  })
  void readsExceptions(String noProxy, String host, boolean straight) {
    var proxy =
        Proxy.fromEnvironment(
            Map.of("HTTPS_PROXY", "http://proxy:3128", "NO_PROXY", "other.test," + noProxy));
    assertThat(proxy.forTarget(URI.create("https://" + host)) == null).isEqualTo(straight);
  }

  @Test
  void readsTheUsualVariables() {
    assertThat(Proxy.fromEnvironment(Map.of())).isEqualTo(Proxy.NONE);
    var all =
        Proxy.fromEnvironment(Map.of("ALL_PROXY", "proxy:3128", "http_proxy", "http://other:1"));
    assertThat(all.forTarget(URI.create("https://a.test")))
        .isEqualTo(URI.create("http://proxy:3128"));
    assertThat(all.forTarget(URI.create("http://a.test"))).isEqualTo(URI.create("http://other:1"));
    assertThat(all.forTarget(URI.create("http://127.0.0.1:11434"))).isNull();
    assertThat(all.forTarget(URI.create("http://localhost"))).isNull();
    // A CGI's HTTP_PROXY is a header of its caller.
    assertThat(
            Proxy.fromEnvironment(Map.of("HTTP_PROXY", "http://evil:1", "REQUEST_METHOD", "GET")))
        .isEqualTo(Proxy.NONE);
    assertThat(Proxy.fromEnvironment(Map.of("HTTPS_PROXY", "socks5://proxy")))
        .isEqualTo(Proxy.NONE);
    assertThat(
            Proxy.unusable(
                Map.of(
                    "HTTPS_PROXY", "socks5://proxy", "http_proxy", "http://[", "ALL_PROXY", "p:1")))
        .containsExactly("http_proxy", "HTTPS_PROXY");
    assertThatThrownBy(() -> Proxy.of("socks5://proxy"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
