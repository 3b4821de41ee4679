package dev.ebb.host.trace;

import dev.ebb.host.units.Plural;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests in the log of an engine, and ignores all other lines:
 *
 * <ul>
 *   <li>vLLM with {@code --enable-log-requests}: {@code Received request ID: prompt: ..., params:
 *       ..., prompt_token_ids: [...], ...}, in newer versions at the level DEBUG as {@code Request
 *       ID details: prompt: ..., prompt_token_ids: [...], ...}. See {@code RequestLogger} in <a
 *       href="https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/logger.py">logger.py</a>.
 *   <li>SGLang with {@code --log-requests --log-requests-level 3}: {@code Receive:
 *       obj=GenerateReqInput(..., input_ids=[...], ...)}. See {@code RequestLogger} in <a
 *       href="https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/utils/request_logger.py">request_logger.py</a>.
 * </ul>
 */
final class EngineLog {

  /** The start of a line of vLLM, SGLang or Uvicorn. */
  private static final Pattern START =
      Pattern.compile(
          "(?:\\([^)]{1,60}\\) )?(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?: \\d\\d-\\d\\d |: )"
              + "|\\[\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d"
              + "|\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d");

  private static final Pattern TIME =
      Pattern.compile(
          "(?:(\\d{4})-)?(\\d\\d)-(\\d\\d)[ T](\\d\\d):(\\d\\d):(\\d\\d)(?:[.,](\\d{1,9}))?");
  private static final Pattern VLLM =
      Pattern.compile("Received request \\S+: |Request \\S+ details: prompt: ");
  private static final String VLLM_IDS = ", prompt_token_ids: ";
  private static final String SGLANG = "Receive: obj=";
  private static final String SGLANG_IDS = ", input_ids=";
  private static final String VLLM_REMEDY =
      "start vLLM with --enable-log-requests and VLLM_LOGGING_LEVEL=DEBUG, and without"
          + " --max-log-len";
  private static final String SGLANG_REMEDY =
      "start SGLang with --log-requests --log-requests-level 3";

  /** A leap year, for logs that state none. */
  private static final int SOME_YEAR = 2000;

  private static final long HALF_A_YEAR = 182L * 24 * 3600;

  private final TokenBlocks blocks;
  private int year = SOME_YEAR;
  private long lastSeconds = Long.MIN_VALUE;
  private long vllmWithout;
  private long sglangWithout;

  EngineLog(int blockTokens) {
    blocks = new TokenBlocks(blockTokens);
  }

  /** Returns whether a line may be of a log. */
  static boolean looksLike(byte[] bytes, int from, int to) {
    String start =
        new String(bytes, from, Math.min(400, to - from), StandardCharsets.UTF_8).stripLeading();
    return START.matcher(start).lookingAt() || VLLM.matcher(start).find() || start.contains(SGLANG);
  }

  /** Reads a line; returns false if it is not a request with token ids. */
  boolean parse(byte[] bytes, int from, int to, TraceRequest request)
      throws MalformedLineException {
    String line = new String(bytes, from, to - from, StandardCharsets.UTF_8);
    int sglang = line.indexOf(SGLANG);
    Matcher vllm = VLLM.matcher(line);
    if (sglang >= 0) {
      return sglang(line, sglang, request);
    }
    return vllm.find() && vllm(line, vllm.start(), request);
  }

  private boolean vllm(String line, int start, TraceRequest request) throws MalformedLineException {
    // The prompt comes before the ids, so the last occurrence is not part of its text.
    int ids = line.lastIndexOf(VLLM_IDS);
    if (ids < start) {
      vllmWithout++;
      return false;
    }
    request.clear();
    tokens(line, ids + VLLM_IDS.length(), "prompt_token_ids", VLLM_REMEDY, request);
    request.timestampNanos = time(line.substring(0, start));
    return true;
  }

  private boolean sglang(String line, int start, TraceRequest request)
      throws MalformedLineException {
    int ids = line.lastIndexOf(SGLANG_IDS);
    if (ids < start) {
      sglangWithout++;
      return false;
    }
    request.clear();
    tokens(line, ids + SGLANG_IDS.length(), "input_ids", SGLANG_REMEDY, request);
    request.timestampNanos = time(line.substring(0, start));
    return true;
  }

  private void tokens(String line, int at, String field, String remedy, TraceRequest request)
      throws MalformedLineException {
    int end = line.indexOf(']', at);
    if (at >= line.length() || line.charAt(at) != '[' || end < 0) {
      String value = line.substring(at, Math.min(line.length(), at + 20));
      throw new MalformedLineException(
          "%s is '%s', must be a list of token ids; %s".formatted(field, value, remedy));
    }
    if (line.startsWith(" ... ", end + 1)) {
      throw new MalformedLineException("%s is shortened; %s".formatted(field, remedy));
    }
    blocks.begin(request);
    for (String token : line.substring(at + 1, end).split(",", -1)) {
      String digits = token.strip();
      if (!digits.isEmpty()) {
        blocks.add(token(digits, field, remedy), request);
      }
    }
    blocks.end(request);
  }

  private static long token(String digits, String field, String remedy)
      throws MalformedLineException {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw new MalformedLineException(
          "%s has '%s', must be a list of token ids of one prompt; %s"
              .formatted(field, digits.substring(0, Math.min(20, digits.length())), remedy));
    }
  }

  private long time(String prefix) throws MalformedLineException {
    Matcher time = TIME.matcher(prefix);
    if (!time.find()) {
      throw new MalformedLineException(
          "has no time before the request; keep the time in the engine's log format");
    }
    try {
      boolean dated = time.group(1) != null;
      long seconds = seconds(time, dated ? number(time, 1) : year);
      if (!dated && seconds < lastSeconds - HALF_A_YEAR) {
        year++;
        seconds = seconds(time, year);
      }
      lastSeconds = Math.max(lastSeconds, seconds);
      return seconds * 1_000_000_000 + fraction(time.group(7));
    } catch (DateTimeException e) {
      throw new MalformedLineException("time '%s' does not exist".formatted(time.group()));
    }
  }

  private static long seconds(Matcher time, int year) {
    return LocalDateTime.of(
            year,
            number(time, 2),
            number(time, 3),
            number(time, 4),
            number(time, 5),
            number(time, 6))
        .toEpochSecond(ZoneOffset.UTC);
  }

  private static int number(Matcher time, int group) {
    return Integer.parseInt(time.group(group));
  }

  private static long fraction(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong((digits + "000000000").substring(0, 9));
  }

  /** Describes why a log has no requests that can be replayed. */
  String whyEmpty() {
    if (vllmWithout > 0) {
      return "has %s of vLLM without prompt_token_ids, so it does not show which prompts share blocks; %s"
          .formatted(Plural.of(vllmWithout, "request", "requests"), VLLM_REMEDY);
    }
    if (sglangWithout > 0) {
      return "has %s of SGLang without input_ids, so it does not show which prompts share blocks; %s"
          .formatted(Plural.of(sglangWithout, "request", "requests"), SGLANG_REMEDY);
    }
    return "is a log without requests; %s; or %s".formatted(VLLM_REMEDY, SGLANG_REMEDY);
  }
}
