package dev.mainstay.core.failure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Asks an exception for its reply by the names under which HTTP clients and SDKs usually offer it:
 * public methods without arguments ({@code statusCode()}, {@code headers()}, {@code
 * getResponseBodyAsString()}, …). So core depends on none of them. What is looked up is remembered
 * for each class.
 */
final class Accessors {
  private static final List<String> STATUS =
      List.of(
          "statusCode",
          "getStatusCode",
          "getRawStatusCode",
          "httpStatusCode",
          "getHttpStatus",
          "status",
          "getStatus",
          "code",
          "getCode",
          "getResponseCode",
          "value");
  private static final List<String> HEADERS =
      List.of("headers", "getHeaders", "responseHeaders", "getResponseHeaders");
  private static final List<String> BODY =
      List.of(
          "getResponseBodyAsString",
          "contentUTF8",
          "responseBody",
          "getResponseBody",
          "body",
          "getBody",
          "getErrorBody",
          "getRawResponse");
  private static final List<String> RESPONSE = List.of("response", "getResponse", "rawResponse");
  private static final List<String> AS_MAP =
      List.of("map", "toMultimap", "asMap", "toSingleValueMap");
  private static final int MAX_BODY = 1_000_000;

  private static final ClassValue<Methods> METHODS =
      new ClassValue<>() {
        @Override
        protected Methods computeValue(Class<?> type) {
          return new Methods(
              methods(type, STATUS),
              methods(type, HEADERS),
              methods(type, BODY),
              methods(type, RESPONSE),
              methods(type, AS_MAP));
        }
      };

  private record Methods(
      List<Method> status,
      List<Method> headers,
      List<Method> body,
      List<Method> response,
      List<Method> asMap) {}

  private Accessors() {}

  /** What {@code thrown} carries, or null where it carries nothing. */
  static ThrowableReader.@Nullable Found read(Throwable thrown) {
    return thrown.getClass().getName().startsWith("java.") ? null : carrier(thrown, 0);
  }

  private static ThrowableReader.@Nullable Found carrier(Object carrier, int depth) {
    var methods = METHODS.get(carrier.getClass());
    var status = status(carrier, methods, 0);
    var headers = headers(carrier, methods);
    var body = body(carrier, methods);
    if (depth == 0 && (status == null || body == null)) {
      for (var method : methods.response) {
        var response = call(method, carrier);
        var inner = response == null ? null : carrier(response, 1);
        if (inner != null) {
          status = status == null ? inner.status() : status;
          headers = headers.isEmpty() ? inner.headers() : headers;
          body = body == null ? inner.body() : body;
        }
      }
    }
    return status == null && body == null && headers.isEmpty()
        ? null
        : new ThrowableReader.Found(status, headers, body);
  }

  private static @Nullable Integer status(Object carrier, Methods methods, int depth) {
    for (var method : methods.status) {
      var value = call(method, carrier);
      if (value instanceof Number number) {
        if (number.intValue() >= 100 && number.intValue() <= 599) {
          return number.intValue();
        }
      } else if (value != null && depth == 0 && !(value instanceof CharSequence)) {
        var inner = status(value, METHODS.get(value.getClass()), 1);
        if (inner != null) {
          return inner;
        }
      }
    }
    return null;
  }

  private static Headers headers(Object carrier, Methods methods) {
    for (var method : methods.headers) {
      var value = call(method, carrier);
      if (value instanceof Map<?, ?> map) {
        return headers(map);
      }
      if (value != null) {
        for (var asMap : METHODS.get(value.getClass()).asMap) {
          if (call(asMap, value) instanceof Map<?, ?> map) {
            return headers(map);
          }
        }
        var named = NamedValues.read(value);
        if (!named.isEmpty()) {
          return headers(named);
        }
      }
    }
    return Headers.none();
  }

  private static Headers headers(Map<?, ?> map) {
    var values = new TreeMap<String, String>();
    for (var entry : map.entrySet()) {
      var value = entry.getValue() instanceof Collection<?> all ? first(all) : entry.getValue();
      if (entry.getKey() != null && value != null && values.size() < 200) {
        values.put(entry.getKey().toString(), value.toString());
      }
    }
    return new Headers(values);
  }

  private static @Nullable Object first(Collection<?> all) {
    return all.isEmpty() ? null : all.iterator().next();
  }

  private static @Nullable String body(Object carrier, Methods methods) {
    for (var method : methods.body) {
      var value = call(method, carrier);
      if (value instanceof Optional<?> optional) {
        value = optional.orElse(null);
      }
      if (value instanceof String text && !text.isBlank()) {
        return text;
      }
      if (value instanceof byte[] bytes && bytes.length > 0) {
        return new String(bytes, 0, Math.min(bytes.length, MAX_BODY), StandardCharsets.UTF_8);
      }
      if (value != null && isText(value)) {
        return value.toString();
      }
    }
    return null;
  }

  /** A parsed body shows itself as text that is an object; streams and the like do not. */
  private static boolean isText(Object value) {
    try {
      var text = value.toString();
      return text.startsWith("{") && text.endsWith("}");
    } catch (RuntimeException | LinkageError | StackOverflowError itsOwn) {
      return false;
    }
  }

  static @Nullable Object call(Method method, Object on, Object... arguments) {
    try {
      return method.invoke(on, arguments);
    } catch (IllegalAccessException
        | InvocationTargetException
        | RuntimeException
        | LinkageError
        | StackOverflowError notOurs) {
      return null;
    }
  }

  private static List<Method> methods(Class<?> type, List<String> names) {
    var found = new ArrayList<Method>();
    for (var name : names) {
      var method = method(type, name);
      if (method != null) {
        found.add(method);
      }
    }
    return List.copyOf(found);
  }

  /** A public method that may be called: one declared in a public type where there is one. */
  static @Nullable Method method(Class<?> type, String name, Class<?>... parameters) {
    try {
      var method = type.getMethod(name, parameters);
      if (method.getReturnType() == void.class || Modifier.isStatic(method.getModifiers())) {
        return null;
      }
      if (Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
        return method;
      }
      for (var parent : type.getInterfaces()) {
        var inherited = method(parent, name, parameters);
        if (inherited != null) {
          return inherited;
        }
      }
      return method.trySetAccessible() ? method : null;
    } catch (NoSuchMethodException | RuntimeException | LinkageError none) {
      return null;
    }
  }
}
