package dev.mainstay.wire.money;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.mainstay.wire.json.Json;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * What a request used that is not paid by tokens: characters to speak, pictures, seconds of sound.
 *
 * @param models names of its model in {@code prices}, the most exact first: a picture's has its
 *     quality and size behind it, as in {@code dall-e-3/hd/1024x1024}
 * @param count how much of {@code unit}, 0 or more
 */
public record MeteredUse(List<String> models, Unit unit, BigDecimal count) {
  /**
   * The paths of OpenAI's API (https://platform.openai.com/docs/api-reference/audio and /images),
   * which others have too, and of ElevenLabs' (https://elevenlabs.io/docs/api-reference).
   */
  private static final Pattern PATHS =
      Pattern.compile(
          ".*/(audio/speech|audio/transcriptions|audio/translations|images/generations"
              + "|images/edits|images/variations|text-to-speech/.+|speech-to-text)");

  /** "model_id … Defaults to eleven_multilingual_v2", of ElevenLabs' text to speech. */
  private static final String ELEVENLABS_MODEL = "eleven_multilingual_v2";

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,9})?");
  private static final int MOST_OF_FORM = 1 << 16;

  public MeteredUse {
    models = List.copyOf(models);
  }

  /** Whether what goes to {@code path} at a provider, without query, is paid by such a unit. */
  public static boolean on(String path) {
    return PATHS.matcher(path).matches();
  }

  /**
   * What was used by a request that was answered well, or null where the bodies do not tell.
   *
   * @param path at the provider, without query
   * @param request the beginning of the request's body, or all of it
   * @param answer the answer's body, or null where it was too long to be kept
   */
  public static @Nullable MeteredUse of(String path, byte[] request, byte @Nullable [] answer) {
    if (path.endsWith("/audio/speech")) {
      return spoken(fields(request), "input", "model", null);
    }
    if (path.contains("/text-to-speech/")) {
      return spoken(fields(request), "text", "model_id", ELEVENLABS_MODEL);
    }
    if (path.endsWith("/images/generations")) {
      return pictures(fields(request), answer);
    }
    if (path.contains("/audio/tra")) {
      return sound(request, answer);
    }
    return null;
  }

  private static @Nullable MeteredUse spoken(
      Map<String, String> fields, String text, String model, @Nullable String byDefault) {
    var spoken = fields.get(text);
    var by = fields.get(model) == null ? byDefault : fields.get(model);
    return spoken == null || by == null
        ? null
        : new MeteredUse(
            List.of(by),
            Unit.CHARACTER,
            BigDecimal.valueOf(spoken.codePointCount(0, spoken.length())));
  }

  /** https://platform.openai.com/docs/api-reference/images/create names the defaults. */
  private static @Nullable MeteredUse pictures(
      Map<String, String> fields, byte @Nullable [] answer) {
    var model = fields.getOrDefault("model", "dall-e-2");
    var told = answer == null ? Map.<String, String>of() : fields(answer);
    var quality = chosen("quality", fields, told, "standard");
    var size = chosen("size", fields, told, "1024x1024");
    var made = answer == null ? fields.getOrDefault("n", "1") : told.get("data");
    return made == null || !COUNT.matcher(made).matches()
        ? null
        : new MeteredUse(
            List.of(model + "/" + quality + "/" + size, model), Unit.IMAGE, new BigDecimal(made));
  }

  /** What the answer says was chosen, else what was asked for. */
  private static String chosen(
      String name, Map<String, String> asked, Map<String, String> told, String byDefault) {
    return told.getOrDefault(name, asked.getOrDefault(name, byDefault));
  }

  private static @Nullable MeteredUse sound(byte[] request, byte @Nullable [] answer) {
    var model = formField(request, "model");
    var fields = answer == null ? Map.<String, String>of() : fields(answer);
    var billed = fields.get("usage.seconds");
    var seconds = billed == null ? fields.get("duration") : billed;
    // Models that are paid by tokens say so, and some say the duration besides.
    return model == null
            || seconds == null
            || !COUNT.matcher(seconds).matches()
            || fields.containsKey("usage.input_tokens")
        ? null
        : new MeteredUse(List.of(model), Unit.AUDIO_SECOND, new BigDecimal(seconds));
  }

  /** A field of a form: its name in a header of its part, an empty line, its value. */
  private static @Nullable String formField(byte[] body, String name) {
    var form = new String(body, 0, Math.min(body.length, MOST_OF_FORM), UTF_8);
    int part = form.indexOf("name=\"" + name + "\"");
    int before = part < 0 ? -1 : form.indexOf("\r\n\r\n", part);
    int after = before < 0 ? -1 : form.indexOf("\r\n", before + 4);
    return after < 0 ? null : form.substring(before + 4, after);
  }

  /**
   * The simple values of an object by their names, those of {@code usage} with it before, and the
   * length of a list.
   */
  private static Map<String, String> fields(byte[] json) {
    var fields = new HashMap<String, String>();
    try (var p = Json.parser(json)) {
      if (p.nextToken() == JsonToken.START_OBJECT) {
        Json.fields(p, (name, value) -> read(name, value, fields));
      }
    } catch (JacksonException e) {
      // What broke off tells nothing that can be relied on.
      return Map.of();
    }
    return fields;
  }

  private static void read(String name, JsonParser value, Map<String, String> to) {
    switch (value.currentToken()) {
      case VALUE_STRING, VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> to.put(name, value.getString());
      case START_ARRAY -> {
        var count = new int[1];
        Json.elements(value, element -> count[0]++);
        to.put(name, Integer.toString(count[0]));
      }
      case START_OBJECT -> {
        if (name.equals("usage")) {
          Json.fields(value, (inner, p) -> read("usage." + inner, p, to));
        }
      }
      default -> {}
    }
  }
}
