-- What wrk asks for, in one thread. Arguments: kind (create, replay, retrieve, poll, poll_whole), credential, then the
-- first part of the idempotency keys (create, replay), or a file with a line for each intent: its id (retrieve), or its
-- id, a checkout token and the tag of its state (poll, poll_whole).
-- Of any other service (kind any): any, what makes requests of this run unlike others, method, path, body, a file of ids,
-- headers as "Name: value". {unique} in the body and the headers and {id} in the path are different each time.
local BODY = '{"amount": 25, "currency": "USD", "settlement_chain": "base", "settlement_token": "USDC", '
  .. '"settlement_address": "0x7e57000000000000000000000000000000000001", '
  .. '"customer_email": "buyer@shop.example", "metadata": {"order_id": "A-1042"}}'
local REPLAYED_KEYS = 100
local PATH = "/api/public/v1/payment-intents"

local next_request
local count = 0

local function post_with(headers, key)
  headers["Idempotency-Key"] = key
  return wrk.format("POST", PATH, headers, BODY)
end

local kinds = {}

function kinds.create(headers, first_part)
  return function() return post_with(headers, first_part .. "-" .. count) end
end

function kinds.replay(headers, first_part)
  return function() return post_with(headers, first_part .. "-" .. count % REPLAYED_KEYS) end
end

function kinds.retrieve(headers, ids_file)
  local ids = {}
  for id in io.lines(ids_file) do ids[#ids + 1] = id end
  return function() return wrk.format("GET", PATH .. "/" .. ids[count * 7919 % #ids + 1], headers) end
end

local function any(unique, method, path, body, ids_file, lines)
  local ids = {}
  for id in io.lines(ids_file) do ids[#ids + 1] = id end
  local headers = {}
  for _, line in ipairs(lines) do
    local name, value = line:match("^(.-): (.*)$")
    headers[name] = value
  end
  return function()
    local one = unique .. "-" .. count
    local filled = {}
    for name, value in pairs(headers) do filled[name] = value:gsub("{unique}", one) end
    local place = path:gsub("{id}", ids[count * 7919 % #ids + 1])
    local text = body:gsub("{unique}", one)
    return wrk.format(method, place, filled, body ~= "" and text or nil)
  end
end

local CHECKOUT = "/api/public/v1/checkout/"

local function polling(file, query)
  local polls = {}
  for line in io.lines(file) do
    local id, token, tag = line:match("(%S+) (%S+) (%S+)")
    local headers = {["Checkout-Token"] = token, ["If-None-Match"] = tag, ["Accept-Language"] = "en"}
    polls[#polls + 1] = wrk.format("GET", CHECKOUT .. id .. "/state" .. query, headers)
  end
  return function() return polls[count % #polls + 1] end
end

function kinds.poll(_, file) return polling(file, "") end

-- A query is not ordinary, so the same is answered by the whole stack.
function kinds.poll_whole(_, file) return polling(file, "?locale=en") end

function init(arguments)
  if arguments[1] == "any" then
    next_request = any(arguments[2], arguments[3], arguments[4], arguments[5], arguments[6], {unpack(arguments, 7)})
    return
  end
  local headers = {Authorization = "Bearer " .. arguments[2], ["Content-Type"] = "application/json"}
  next_request = kinds[arguments[1]](headers, arguments[3])
end

function request()
  count = count + 1
  return next_request()
end

-- One line of JSON that the bench reads. Latencies are in microseconds.
function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  print(string.format(
    '{"requests": %d, "microseconds": %d, "errors": %d, "p50": %d, "p99": %d}',
    summary.requests, summary.duration, failed, latency:percentile(50), latency:percentile(99)
  ))
end
