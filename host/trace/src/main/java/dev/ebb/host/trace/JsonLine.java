package dev.ebb.host.trace;

import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.io.StringWriter;
import java.math.BigInteger;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.async.ByteArrayFeeder;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads the values of one line of JSON after the other, without a copy and without garbage. After a
 * malformed line its state is lost, and the parser inside is replaced.
 */
final class JsonLine {

  private static final int SHOWN = 40;

  /** Far more than any prompt, and few enough that the tokens of a trace can be summed. */
  private static final long MAX_TOKENS = 1_000_000_000_000L;

  private static final double MAX_AMOUNT = 1e9;
  private static final JsonFactory JSON = new JsonFactory();

  private final Labels labels = new Labels();
  private JsonParser parser = newParser();
  private long fed;

  /** Reads the fields of an object. */
  @FunctionalInterface
  interface Fields {
    void field(String name, JsonToken value) throws MalformedLineException;
  }

  /** Reads a line that is one object; a field is given with its value as the current token. */
  void read(byte[] bytes, int from, int to, Fields fields) throws MalformedLineException {
    long before = fed;
    boolean good = false;
    try {
      ((ByteArrayFeeder) parser.nonBlockingInputFeeder()).feedInput(bytes, from, to);
      fed += to - from;
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedLineException("not a JSON object; a request is one {...} in one line");
      }
      object(fields);
      if (parser.nextToken() != JsonToken.NOT_AVAILABLE) {
        throw new MalformedLineException("more than one value; a request is one {...} in one line");
      }
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

  /**
   * Reads the fields of an object whose start is the current token. Fields with null are left out.
   */
  void object(Fields fields) throws MalformedLineException {
    while (token() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken value = token();
      if (value != JsonToken.VALUE_NULL) {
        fields.field(name, value);
      }
    }
  }

  private static JsonParser newParser() {
    return JSON.createNonBlockingByteArrayParser(ObjectReadContext.empty());
  }

  JsonToken token() throws MalformedLineException {
    JsonToken token = parser.nextToken();
    if (token == JsonToken.NOT_AVAILABLE) {
      throw new MalformedLineException("ends in the middle of a request; the trace may be cut off");
    }
    return token;
  }

  long whole() {
    return parser.getLongValue();
  }

  double real() {
    return parser.getDoubleValue();
  }

  long length(String field, JsonToken value) throws MalformedLineException {
    // Tables of other tools may write whole numbers as 52.0.
    double tokens = value.isNumeric() ? parser.getDoubleValue() : -1;
    if (!(tokens >= 0 && tokens <= MAX_TOKENS && tokens == Math.rint(tokens))) {
      throw wrong(field, "must be a whole number of tokens, 0 to 1000000000000");
    }
    return (long) tokens;
  }

  double amount(String field, JsonToken value) throws MalformedLineException {
    double amount = value.isNumeric() ? parser.getDoubleValue() : -1;
    if (!(amount >= 0 && amount <= MAX_AMOUNT)) {
      throw wrong(field, "must be a number from 0 to 1000000000");
    }
    return amount;
  }

  int smallNumber(String field, JsonToken value) throws MalformedLineException {
    if (!isLong(value) || parser.getLongValue() != (int) parser.getLongValue()) {
      throw wrong(field, "must be a whole number");
    }
    return (int) parser.getLongValue();
  }

  boolean isLong(JsonToken value) {
    return value == JsonToken.VALUE_NUMBER_INT
        && parser.getNumberType() != JsonParser.NumberType.BIG_INTEGER;
  }

  long id(String field, JsonToken value) throws MalformedLineException {
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
    throw wrong(field, "must be a whole number or a string");
  }

  String text(String field, JsonToken value) throws MalformedLineException {
    if (value != JsonToken.VALUE_STRING) {
      throw wrong(field, "must be a string");
    }
    return labels.of(
        parser.getStringCharacters(), parser.getStringOffset(), parser.getStringLength());
  }

  /** Reads a list of block ids. */
  void ids(String field, JsonToken value, TraceRequest request) throws MalformedLineException {
    if (value != JsonToken.START_ARRAY) {
      throw wrong(field, "must be a list of block ids");
    }
    request.blocks = 0;
    for (JsonToken id = token(); id != JsonToken.END_ARRAY; id = token()) {
      request.addId(id("an id in " + field, id));
    }
  }

  /** Reads a list of token ids, and cuts it into blocks. */
  void tokens(
      String field, JsonToken value, TokenBlocks blocks, TraceRequest request, String remedy)
      throws MalformedLineException {
    if (value != JsonToken.START_ARRAY) {
      throw wrong(field, "must be a list of token ids" + remedy);
    }
    blocks.begin(request);
    for (JsonToken id = token(); id != JsonToken.END_ARRAY; id = token()) {
      if (!isLong(id)) {
        throw wrong(
            "an id in " + field,
            "must be a whole number: the prompt is shortened, or the request is a batch" + remedy);
      }
      blocks.add(whole(), request);
    }
    blocks.end(request);
  }

  /** Counts the elements of a list. */
  int count(String field, JsonToken value) throws MalformedLineException {
    if (value != JsonToken.START_ARRAY) {
      throw wrong(field, "must be a list");
    }
    int count = 0;
    for (JsonToken each = token(); each != JsonToken.END_ARRAY; each = token()) {
      skip(each);
      count++;
    }
    return count;
  }

  /** Returns a value as JSON. */
  String raw(JsonToken value) throws MalformedLineException {
    StringWriter text = new StringWriter();
    try (JsonGenerator copy = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      int depth = 0;
      for (JsonToken token = value; ; token = token()) {
        copy.copyCurrentEvent(parser);
        depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        if (depth == 0) {
          break;
        }
      }
    }
    return text.toString();
  }

  void skip(JsonToken value) throws MalformedLineException {
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

  MalformedLineException wrong(String field, String allowed) {
    return new MalformedLineException("%s is %s, %s".formatted(field, shownValue(), allowed));
  }

  private String shownValue() {
    if (parser.currentToken().isStructStart()) {
      return parser.currentToken() == JsonToken.START_ARRAY ? "an array" : "an object";
    }
    String value = parser.getString();
    return "'" + (value.length() <= SHOWN ? value : value.substring(0, SHOWN) + "...") + "'";
  }

  /**
   * Interns the strings of tenants and workloads, so that a repeated label costs no garbage. Drops
   * all once there are too many, so that memory stays flat.
   */
  private static final class Labels {

    private static final int MOST = 1 << 16;

    private final Long2ObjectOpenHashMap<String> known = new Long2ObjectOpenHashMap<>();

    String of(char[] text, int from, int length) {
      long hash = Hash64.of(text, from, length);
      String label = known.get(hash);
      if (label == null || !equal(label, text, from, length)) {
        if (known.size() >= MOST) {
          known.clear();
        }
        label = new String(text, from, length);
        known.put(hash, label);
      }
      return label;
    }

    private static boolean equal(String label, char[] text, int from, int length) {
      if (label.length() != length) {
        return false;
      }
      for (int i = 0; i < length; i++) {
        if (label.charAt(i) != text[from + i]) {
          return false;
        }
      }
      return true;
    }
  }
}
