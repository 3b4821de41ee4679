package dev.ebb.host.trace;

import java.math.BigInteger;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.async.ByteArrayFeeder;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Parses one request from one line of JSON, in the Mooncake or the Qwen-Bailian format. Knows
 * nothing of the lines before.
 *
 * <p>One parser is fed line after line, without a copy and without garbage. After a malformed line
 * its state is lost, and it is replaced.
 */
final class TraceRequestParser {

  private static final int SHOWN = 40;
  private static final String WHOLE = "must be a whole number";
  private static final String LENGTH = "must be a whole number of tokens, 0 to 1000000000000";

  /** Far more than any prompt, and few enough that the tokens of a trace can be summed. */
  private static final long MAX_TOKENS = 1_000_000_000_000L;

  private static final double MAX_AMOUNT = 1e9;
  private static final String AMOUNT = "must be a number from 0 to 1000000000";
  private static final String ID = "must be a whole number or a string";
  private static final String TEXT = "must be a string";
  private static final JsonFactory JSON = new JsonFactory();

  private final TraceLabels labels = new TraceLabels();
  private JsonParser parser = newParser();
  private long fed;

  private boolean hasTimestamp;
  private boolean wholeTimestamp;
  private long timestampWhole;
  private double timestampReal;
  private boolean hasIds;
  private boolean hasWorkload;
  private boolean hasSession;
  private boolean hasChat;
  private long chat;
  private boolean hasParent;
  private long parent;

  /**
   * Reads a line into a request. {@code timestampNanos} becomes the timestamp as the trace states
   * it; {@code sequenceId} is set if the line has a {@code session_id}.
   */
  void parse(byte[] bytes, int from, int to, RequestBuffer request) throws MalformedLineException {
    clear(request);
    long before = fed;
    boolean good = false;
    try {
      ((ByteArrayFeeder) parser.nonBlockingInputFeeder()).feedInput(bytes, from, to);
      fed += to - from;
      object(request);
      check(request);
      request.timestampNanos = timestampNanos();
      good = true;
    } catch (StreamConstraintsException e) {
      throw new MalformedLineException(
          "nested too deep, or a number or a name in it is too long; a request is a flat object");
    } catch (JacksonException e) {
      long column = parser.currentLocation().getByteOffset() - before;
      throw new MalformedLineException("not JSON at column %d".formatted(column));
    } finally {
      if (!good) {
        parser = newParser();
        fed = 0;
      }
    }
  }

  /** Returns whether the line names a chat, and so is in the Qwen-Bailian format. */
  boolean hasChat() {
    return hasChat;
  }

  boolean hasSession() {
    return hasSession;
  }

  long chat() {
    return chat;
  }

  /** Returns whether the chat continues another one, {@link #parent()}. */
  boolean hasParent() {
    return hasParent;
  }

  long parent() {
    return parent;
  }

  private static JsonParser newParser() {
    return JSON.createNonBlockingByteArrayParser(ObjectReadContext.empty());
  }

  private void clear(RequestBuffer request) {
    request.clear();
    request.inputTokens = TraceRequest.UNKNOWN;
    hasTimestamp = false;
    hasIds = false;
    hasWorkload = false;
    hasSession = false;
    hasChat = false;
    hasParent = false;
  }

  private void object(RequestBuffer request) throws MalformedLineException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw new MalformedLineException("not a JSON object; a request is one {...} in one line");
    }
    while (token() != JsonToken.END_OBJECT) {
      String field = parser.currentName();
      JsonToken value = token();
      if (value == JsonToken.VALUE_NULL) {
        continue;
      }
      switch (field) {
        case "timestamp" -> timestamp(value);
        case "input_length" -> request.inputTokens = length(field, value);
        case "output_length" -> request.outputTokens = length(field, value);
        case "hash_ids" -> ids(value, request);
        case "chat_id" -> {
          chat = id(field, value);
          hasChat = true;
        }
        case "parent_chat_id" -> {
          parent = id(field, value);
          hasParent = value != JsonToken.VALUE_NUMBER_INT || parent != -1;
        }
        case "turn" -> request.turn = smallNumber(field, value);
        case "type" -> type(value, request);
        case "tenant" -> request.tenant = text(field, value);
        case "workload" -> {
          request.workload = text(field, value);
          hasWorkload = true;
        }
        case "priority" -> request.priority = smallNumber(field, value);
        case "hint" -> request.hint = smallNumber(field, value);
        case "finish_reason" -> request.finishReason = text(field, value);
        case "model" -> request.model = text(field, value);
        case "return_after_s" -> request.returnNanos = Math.round(amount(field, value) * 1e9);
        case "lifetime" -> request.lifetimeNanos = Math.round(amount(field, value) * 1e9);
        case "recompute_cost" -> request.recomputeCost = amount(field, value);
        case "session_id" -> {
          request.sequenceId = id(field, value);
          hasSession = true;
        }
        default -> skip(value);
      }
    }
    if (parser.nextToken() != JsonToken.NOT_AVAILABLE) {
      throw new MalformedLineException("more than one value; a request is one {...} in one line");
    }
  }

  private void check(RequestBuffer request) throws MalformedLineException {
    if (!hasTimestamp) {
      throw new MalformedLineException("timestamp is missing");
    }
    if (request.inputTokens < 0) {
      throw new MalformedLineException("input_length is missing");
    }
    if (!hasIds) {
      throw new MalformedLineException("hash_ids is missing");
    }
  }

  private JsonToken token() throws MalformedLineException {
    JsonToken token = parser.nextToken();
    if (token == JsonToken.NOT_AVAILABLE) {
      throw new MalformedLineException("ends in the middle of a request; the trace may be cut off");
    }
    return token;
  }

  private void timestamp(JsonToken value) throws MalformedLineException {
    if (value == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER) {
      timestampWhole = parser.getLongValue();
      wholeTimestamp = true;
    } else if (value == JsonToken.VALUE_NUMBER_FLOAT) {
      timestampReal = parser.getDoubleValue();
      wholeTimestamp = false;
    } else {
      throw wrong("timestamp", "must be a number");
    }
    hasTimestamp = true;
  }

  private long timestampNanos() throws MalformedLineException {
    long unit = hasChat ? 1_000_000_000L : 1_000_000L;
    double nanos = (wholeTimestamp ? timestampWhole : timestampReal) * unit;
    if (!(Math.abs(nanos) < 0x1p63)) {
      throw new MalformedLineException(
          "timestamp is '%s', must be %s since the trace's start"
              .formatted(
                  wholeTimestamp ? Long.toString(timestampWhole) : Double.toString(timestampReal),
                  hasChat ? "seconds" : "milliseconds"));
    }
    return wholeTimestamp ? timestampWhole * unit : Math.round(nanos);
  }

  private void ids(JsonToken value, RequestBuffer request) throws MalformedLineException {
    if (value != JsonToken.START_ARRAY) {
      throw wrong("hash_ids", "must be a list of block ids");
    }
    request.blocks = 0;
    for (JsonToken id = token(); id != JsonToken.END_ARRAY; id = token()) {
      request.addId(id("an id in hash_ids", id));
    }
    hasIds = true;
  }

  private void type(JsonToken value, RequestBuffer request) throws MalformedLineException {
    if (value == JsonToken.VALUE_STRING && !hasWorkload) {
      request.workload = text("type", value);
    } else {
      skip(value);
    }
  }

  private long length(String field, JsonToken value) throws MalformedLineException {
    if (!isLong(value) || parser.getLongValue() < 0 || parser.getLongValue() > MAX_TOKENS) {
      throw wrong(field, LENGTH);
    }
    return parser.getLongValue();
  }

  private double amount(String field, JsonToken value) throws MalformedLineException {
    double amount = value.isNumeric() ? parser.getDoubleValue() : -1;
    if (!(amount >= 0 && amount <= MAX_AMOUNT)) {
      throw wrong(field, AMOUNT);
    }
    return amount;
  }

  private int smallNumber(String field, JsonToken value) throws MalformedLineException {
    if (!isLong(value) || parser.getLongValue() != (int) parser.getLongValue()) {
      throw wrong(field, WHOLE);
    }
    return (int) parser.getLongValue();
  }

  private boolean isLong(JsonToken value) {
    return value == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
  }

  private long id(String field, JsonToken value) throws MalformedLineException {
    if (isLong(value)) {
      return parser.getLongValue();
    }
    if (value == JsonToken.VALUE_STRING) {
      return Hash64.of(
          parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength());
    }
    if (value == JsonToken.VALUE_NUMBER_INT) {
      BigInteger number = parser.getBigIntegerValue();
      if (number.signum() > 0 && number.bitLength() <= Long.SIZE) {
        return number.longValue();
      }
      throw wrong(field, "must fit in 64 bits, or be a string");
    }
    throw wrong(field, ID);
  }

  private String text(String field, JsonToken value) throws MalformedLineException {
    if (value != JsonToken.VALUE_STRING) {
      throw wrong(field, TEXT);
    }
    return labels.of(
        parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength());
  }

  private void skip(JsonToken value) throws MalformedLineException {
    int depth = 0;
    for (JsonToken token = value; ; token = token()) {
      if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      }
      if (depth == 0) {
        return;
      }
    }
  }

  private MalformedLineException wrong(String field, String allowed) {
    String value = parser.getString();
    String shown = value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "...";
    return new MalformedLineException("%s is '%s', %s".formatted(field, shown, allowed));
  }
}
