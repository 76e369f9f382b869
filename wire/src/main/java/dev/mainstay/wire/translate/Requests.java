package dev.mainstay.wire.translate;

import dev.mainstay.wire.Dialect;
import dev.mainstay.wire.translate.anthropic.MessagesRequestReader;
import dev.mainstay.wire.translate.anthropic.MessagesRequestWriter;
import dev.mainstay.wire.translate.chat.ChatRequestReader;
import dev.mainstay.wire.translate.chat.ChatRequestWriter;
import dev.mainstay.wire.translate.gemini.GenerateRequestReader;
import dev.mainstay.wire.translate.gemini.GenerateRequestWriter;
import dev.mainstay.wire.translate.request.Body;
import dev.mainstay.wire.translate.request.Feature;
import dev.mainstay.wire.translate.request.Request;
import dev.mainstay.wire.translate.request.Tool;
import dev.mainstay.wire.translate.request.ToolChoice;
import dev.mainstay.wire.translate.request.TranslationContext;
import dev.mainstay.wire.translate.responses.ResponsesRequestReader;
import dev.mainstay.wire.translate.responses.ResponsesRequestWriter;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

/** Translates requests. Pure, without state, and thread-safe. */
public final class Requests {
  private Requests() {}

  /**
   * The request {@code body} in the dialect {@code to}.
   *
   * @param targetModel the model of the target, written into the body where the dialect has it
   *     there, and by whose name it is known what the target takes
   * @param stream whether a stream is asked for; what {@code body} says of it does not count, since
   *     in one dialect the path says it
   * @param onLoss what to do with what the target has no word for; what changes the meaning is
   *     refused in any case
   * @throws MalformedRequestException where {@code body} is no request of the dialect {@code from}
   * @throws UntranslatableException where it asks for what {@code to} cannot say
   * @throws LossRefusedException where something would be lost and {@code onLoss} refuses that
   */
  public static Translation translate(
      byte[] body, Dialect from, Dialect to, String targetModel, boolean stream, OnLoss onLoss) {
    var context = new TranslationContext(from, to, targetModel, stream, onLoss);
    var request = read(context, Body.read(body));
    refuseImpossibleChoice(context, request);
    try {
      var written = Body.bytes(write(context, request));
      return new Translation(written, context.degraded());
    } catch (JacksonException e) {
      // The one thing that can be read and not be written: what is deeper than the writer goes.
      throw new MalformedRequestException("", "the body is nested too deeply");
    }
  }

  /** That a tool must be called which is not on offer: a provider's own, that was left out. */
  private static void refuseImpossibleChoice(TranslationContext context, Request request) {
    var choice = request.toolChoice();
    if (choice == null || choice.mode() != ToolChoice.Mode.REQUIRED) {
      return;
    }
    var offered = request.tools().stream().map(Tool::name).toList();
    if (offered.isEmpty() || !offered.containsAll(choice.only())) {
      throw context.refuse(
          Feature.TOOL_CHOICE,
          context.place(choice),
          "that a tool must be called which is not among the functions offered, cannot be said");
    }
  }

  static Request read(TranslationContext context, ObjectNode body) {
    return switch (context.from()) {
      case OPENAI_CHAT, MISTRAL -> ChatRequestReader.read(context, body);
      case ANTHROPIC -> MessagesRequestReader.read(context, body);
      case OPENAI_RESPONSES -> ResponsesRequestReader.read(context, body);
      case GEMINI -> GenerateRequestReader.read(context, body);
    };
  }

  static ObjectNode write(TranslationContext context, Request asked) {
    var request = context.takesCustomTools() ? asked : asked.withoutCustomTools(context);
    return switch (context.to()) {
      case OPENAI_CHAT, MISTRAL -> ChatRequestWriter.write(context, request);
      case ANTHROPIC -> MessagesRequestWriter.write(context, request);
      case OPENAI_RESPONSES -> ResponsesRequestWriter.write(context, request);
      case GEMINI -> GenerateRequestWriter.write(context, request);
    };
  }
}
