"""Verifies deliveries as who receives them does: by the published library, one JSON object a line."""
import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    delivery = json.loads(line)
    try:
        event = Webhook(delivery["secret"]).verify(delivery["body"], delivery["headers"])
        print("verified", event["type"])
    except WebhookVerificationError as fault:
        print("refused", fault)
