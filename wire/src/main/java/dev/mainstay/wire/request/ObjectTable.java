package dev.mainstay.wire.request;

import dev.mainstay.wire.Api;
import dev.mainstay.wire.json.WatchedNames;
import java.util.Set;

/**
 * What the APIs keep for an account, and where its ids stand in paths and bodies. Read in 2026-11
 * from
 *
 * <ul>
 *   <li>https://platform.openai.com/docs/api-reference
 *   <li>https://docs.claude.com/en/api
 *   <li>https://docs.mistral.ai/api
 *   <li>https://ai.google.dev/api
 * </ul>
 */
final class ObjectTable {
  /** Names under which a path has objects: the segment after one is an id. */
  private static final Set<String> OPENAI =
      Set.of(
          "responses",
          "conversations",
          "files",
          "uploads",
          "batches",
          "vector_stores",
          "assistants",
          "threads",
          "runs",
          "containers",
          "jobs",
          "evals",
          "completions",
          "videos",
          "skills");

  private static final Set<String> ANTHROPIC = Set.of("files", "batches", "skills");

  private static final Set<String> MISTRAL =
      Set.of("files", "jobs", "agents", "conversations", "libraries");

  /** Their names hold the collection's: {@code files/abc}. */
  private static final Set<String> GEMINI =
      Set.of("files", "cachedContents", "batches", "fileSearchStores", "tunedModels", "corpora");

  /** Fields of requests whose value is an id, a list of ids, or an object with an id. */
  static final Set<String> NAMING =
      Set.of(
          // OpenAI
          "previous_response_id",
          "conversation",
          "conversation_id",
          "file_id",
          "file_ids",
          "input_file_id",
          "training_file",
          "validation_file",
          "vector_store_id",
          "vector_store_ids",
          "container",
          "container_id",
          "assistant_id",
          "thread_id",
          "eval_id",
          // Anthropic has file_id and container, and
          "skill_id",
          // Mistral has file_id and conversation_id, and
          "input_files",
          "agent_id",
          "library_ids",
          // Gemini
          "cachedContent",
          "cached_content",
          "fileUri",
          "file_uri",
          "fileName",
          "file_name",
          "fileSearchStoreNames",
          "file_search_store_names");

  static final WatchedNames WATCHED = new WatchedNames(NAMING);

  /** Fields of an answer that name an object: what was made, or what it led to. */
  static final Set<String> MADE =
      Set.of(
          "id",
          "thread_id",
          "conversation_id",
          "output_file_id",
          "error_file_id",
          "result_files",
          // Mistral
          "output_file",
          "error_file",
          // Gemini
          "name",
          "responsesFile");

  /** Fields of an answer that hold an object of their own: of OpenAI's uploads, of Gemini. */
  static final Set<String> WITHIN = Set.of("file", "response", "output");

  private ObjectTable() {}

  static Set<String> collections(Api api) {
    return switch (api) {
      case OPENAI -> OPENAI;
      case ANTHROPIC -> ANTHROPIC;
      case MISTRAL -> MISTRAL;
      case GEMINI -> GEMINI;
    };
  }
}
