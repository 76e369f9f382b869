package dev.mainstay.wire.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.wire.Api;
import dev.mainstay.wire.json.JsonWalk;
import java.net.URLDecoder;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The ids of what a provider keeps for an account: in requests, paths and answers. */
public final class ObjectIds {
  /** Ids that are read of one request or answer; the rest is not looked for. */
  public static final int MOST = 64;

  private ObjectIds() {}

  /**
   * The ids in the body of a model call.
   *
   * @param head what was read of it
   */
  public static List<String> named(byte[] body, RequestHead head) {
    return head.objects().naming() ? named(body) : List.of();
  }

  /** The ids in the body of a request; none where it is no JSON. */
  public static List<String> named(byte[] body) {
    var ids = new LinkedHashSet<String>();
    try {
      named(new JsonWalk(body), ids);
    } catch (JsonWalk.Malformed e) {
      // Refused elsewhere, or for its provider to refuse.
    }
    return first(ids);
  }

  private static void named(JsonWalk walk, Set<String> ids) {
    if (walk.kind() == JsonWalk.Kind.ARRAY) {
      for (walk.array(); walk.element(); ) {
        named(walk, ids);
      }
      return;
    }
    for (walk.object(); walk.field(); ) {
      var name = walk.name();
      boolean callers =
          Attachments.OTHERS_WORDS.contains(name)
              || (name.equals("input") && walk.kind() == JsonWalk.Kind.OBJECT);
      if (ObjectTable.NAMING.contains(name)) {
        ids(walk, ids, ids::add);
      } else if (!callers && isNested(walk)) {
        named(walk, ids);
      }
    }
  }

  /** An id, ids, or objects with an {@code id} and whatever else they name. */
  private static void ids(JsonWalk walk, Set<String> ids, Consumer<String> to) {
    switch (walk.kind()) {
      case STRING -> to.accept(resource(String.valueOf(walk.string())));
      case ARRAY -> {
        for (walk.array(); walk.element(); ) {
          ids(walk, ids, to);
        }
      }
      case OBJECT -> {
        for (walk.object(); walk.field(); ) {
          if (walk.name().equals("id") || ObjectTable.NAMING.contains(walk.name())) {
            ids(walk, ids, to);
          } else if (isNested(walk)) {
            named(walk, ids);
          }
        }
      }
      default -> walk.skip();
    }
  }

  private static boolean isNested(JsonWalk walk) {
    return walk.kind() == JsonWalk.Kind.OBJECT || walk.kind() == JsonWalk.Kind.ARRAY;
  }

  /** Of the address of a Google file, the name that it was given. */
  private static String resource(String id) {
    int files = id.startsWith("http") ? id.lastIndexOf("/files/") : -1;
    return files < 0 ? id : id.substring(files + 1);
  }

  /**
   * The ids in an answer that tells of an object: its own and those of what it led to.
   *
   * @param json the answer, or its beginning
   */
  public static List<String> made(byte[] json) {
    var ids = new LinkedHashSet<String>();
    try {
      made(new JsonWalk(json), ids, true);
    } catch (JsonWalk.Malformed e) {
      // What was read before it stands.
    }
    return first(ids);
  }

  private static void made(JsonWalk walk, Set<String> ids, boolean top) {
    for (walk.object(); walk.field(); ) {
      if (ObjectTable.MADE.contains(walk.name())) {
        ids(walk, new LinkedHashSet<>(0), ids::add);
      } else if (top && ObjectTable.WITHIN.contains(walk.name())) {
        made(walk, ids, false);
      }
    }
  }

  /**
   * What a path at a provider says of objects.
   *
   * @param ids those that it names
   * @param kept whether it leads to objects that the provider keeps
   */
  public record InPath(List<String> ids, boolean kept) {}

  /**
   * Reads {@code path}, which may have a query behind it.
   *
   * @param api of the provider
   */
  public static InPath inPath(Api api, String path) {
    var collections = ObjectTable.collections(api);
    var ids = new ArrayList<String>(1);
    boolean kept = false;
    String before = null;
    int query = path.indexOf('?');
    for (var part : (query < 0 ? path : path.substring(0, query)).split("/")) {
      var segment = decoded(part);
      // Gemini's verbs follow a colon.
      int colon = api == Api.GEMINI ? segment.indexOf(':') : -1;
      var name = colon < 0 ? segment : segment.substring(0, colon);
      boolean collection = collections.contains(name);
      if (before != null && !collection && !name.isEmpty()) {
        ids.add(api == Api.GEMINI ? before + "/" + name : name);
      }
      kept |= collection || segment.endsWith(":batchGenerateContent");
      before = collection ? name : null;
    }
    return new InPath(ids.size() > MOST ? ids.subList(0, MOST) : List.copyOf(ids), kept);
  }

  private static String decoded(String segment) {
    if (segment.indexOf('%') < 0) {
      return segment;
    }
    try {
      return URLDecoder.decode(segment.replace("+", "%2B"), UTF_8);
    } catch (IllegalArgumentException e) {
      return segment;
    }
  }

  private static List<String> first(Set<String> ids) {
    ids.removeIf(String::isEmpty);
    return ids.stream().limit(MOST).toList();
  }
}
