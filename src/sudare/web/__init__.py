"""The workbench and its REST interface: projects in folders, jobs in processes of their own, answers by HTTP.

| module | what |
|---|---|
| `settings` | what a server was started with: folders, limits, connections, users |
| `guard` | who may ask: Host, Origin, tokens, cookies; the headers of every answer |
| `problems` | errors as `application/problem+json` |
| `projects` | a project is a folder: data, recipe with its history, jobs |
| `values` | values of columns with their numbers of rows |
| `confine` | a recipe from a client names no file, key or database that it may not |
| `jobs` | the queue: states, starting, canceling, limits, what a restart finds |
| `launcher` | how a job gets a process that outlives the server |
| `worker` | what a job does in that process |
| `events` | progress in a file, and as a stream |
| `application` | all of it as one application, and serving it |
| `api/` | the routes of `/api/v1`, a file for each resource |

Only `application`, `guard` and `api` know FastAPI, Starlette and uvicorn; workers and launcher start without them.
"""
